/**
 * Reads Markdown lists: which lines belong to which item, nested or continued.
 * Lenient where models are sloppy: two spaces are enough to nest, whatever the mark's width.
 */
import { endsParagraph, FENCE, indentOf, ITEM, RULE, widthOf } from "./md-syntax.js";

/**
 * Read the list that begins at a line: `{type, ordered, start, loose, items: [{lines}], end}`; null
 * when none does.
 */
export function readList(lines, at) {
  const first = lines[at].match(ITEM);
  if (!first || widthOf(first[1]) > 3) return null;
  const list = { type: "list", ordered: /\d/u.test(first[2]), items: [], loose: false };
  list.start = list.ordered ? Number.parseInt(first[2], 10) : 1;
  let end = at;
  let goesOn = true;
  while (goesOn) {
    const item = readItem(lines, end);
    list.items.push(item);
    const next = skipBlank(lines, item.end);
    goesOn = next < lines.length && isNext(lines[next], first);
    list.loose ||= item.loose || (goesOn && next > item.end);
    end = goesOn ? next : item.end;
  }
  return { ...list, end };
}

function skipBlank(lines, at) {
  let next = at;
  while (next < lines.length && !lines[next].trim()) next += 1;
  return next;
}

function isNext(line, first) {
  const item = line.match(ITEM);
  if (!item || RULE.test(line)) return false;
  const kind = (mark) => (/\d/u.test(mark) ? mark.at(-1) : mark);
  return kind(item[2]) === kind(first[2]) && widthOf(item[1]) < widthOf(first[1]) + 2;
}

function readItem(lines, at) {
  const [, indent, mark, gap = " ", text = ""] = lines[at].match(ITEM);
  const room = widthOf(indent) + mark.length + (widthOf(gap) > 4 ? 1 : widthOf(gap));
  const item = { indent: widthOf(indent), room, lines: [text], fence: null, loose: false };
  let end = at + 1;
  while (end < lines.length && belongs(lines, end, item)) {
    takeLine(item, dedent(lines[end], room));
    end += 1;
  }
  while (item.lines.length > 1 && !item.lines.at(-1).trim()) {
    item.lines.pop();
    end -= 1;
  }
  return { ...item, end };
}

/** Add a line; a blank one between others, outside of code, makes the list loose. */
function takeLine(item, line) {
  const gap = !item.lines.at(-1).trim() && item.lines.length > 1;
  if (line.trim() && gap && !item.fence) item.loose = true;
  item.fence = stepFence(item.fence, line);
  item.lines.push(line);
}

/** Say whether a line is part of the item: indented under it, blank, or the rest of its paragraph. */
function belongs(lines, at, item) {
  const line = lines[at];
  if (item.fence && indentOf(line) > item.indent) return true;
  if (!line.trim()) return lines.slice(at).some((next) => next.trim());
  const depth = indentOf(line);
  if (depth >= item.room) return true;
  // Models often indent a nested list by two spaces whatever the mark's width: take it as nested.
  if (ITEM.test(line)) return depth >= item.indent + 2;
  return Boolean(item.lines.at(-1).trim()) && !endsParagraph(lines, at);
}

function stepFence(fence, line) {
  const found = line.match(FENCE);
  if (!found) return fence;
  if (!fence) return found[2];
  return found[2].startsWith(fence) && !found[3] ? null : fence;
}

function dedent(line, room) {
  let left = room;
  let at = 0;
  while (left > 0 && (line[at] === " " || line[at] === "\t")) {
    left -= line[at] === "\t" ? 4 : 1;
    at += 1;
  }
  return line.slice(at);
}
