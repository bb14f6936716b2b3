/**
 * Markdown to page nodes: the blocks (headings, lists, quotes, fences, tables, rules, paragraphs).
 * `inline.js` does what stands inside a line. Built for text that is still being written: only the
 * blocks at the end that changed are drawn again, so a long answer stays cheap and selectable.
 */
import { el } from "./dom.js";
import { inline, MARKDOWN } from "./inline.js";

const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/u;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/u;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
const QUOTE = /^ {0,3}>[ \t]?/u;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/u;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/u;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/u;
/** Quotes and lists nest this deep at most; what lies deeper is drawn as plain lines. */
const DEPTH = 12;

/**
 * Show Markdown in `container`. Call it again with longer text to continue: blocks whose source is
 * unchanged keep their nodes. `open` says that more text is expected at the end.
 */
export function showMarkdown(container, source, open = false) {
  const blocks = splitBlocks(source.replace(/\r\n?/gu, "\n").split("\n"));
  const keys = blocks.map(
    (block, at) => `${open && at === blocks.length - 1 ? "…" : ""}${block.raw}`,
  );
  const before = container.markdownKeys ?? [];
  let same = 0;
  while (same < keys.length && keys[same] === before[same] && container.childNodes[same]) same += 1;
  while (container.childNodes.length > same) container.lastChild.remove();
  for (let at = same; at < blocks.length; at += 1) {
    container.append(drawBlock(blocks[at], { open: open && at === blocks.length - 1, depth: 0 }));
  }
  container.markdownKeys = keys;
}

/** Split lines into blocks `{type, raw, ...}`; `raw` is the source, which is the block's identity. */
export function splitBlocks(lines) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const block = readBlock(lines, at);
    block.raw = `${block.type}\n${lines.slice(at, block.end).join("\n")}`;
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

function readBlock(lines, at) {
  for (const read of [readFence, readHeading, readRule, readQuote, readList, readTable]) {
    const block = read(lines, at);
    if (block) return block;
  }
  return readParagraph(lines, at);
}

function readFence(lines, at) {
  const start = lines[at].match(FENCE);
  if (!start) return null;
  const [, indent, ticks, language] = start;
  const stop = new RegExp(`^ {0,3}${ticks[0]}{${ticks.length},}[ \\t]*$`, "u");
  const strip = new RegExp(`^ {0,${indent.length}}`, "u");
  let end = at + 1;
  while (end < lines.length && !stop.test(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).map((line) => line.replace(strip, ""));
  return { type: "code", language, text: code.join("\n"), end: Math.min(end + 1, lines.length) };
}

function readHeading(lines, at) {
  const found = lines[at].match(HEADING);
  return found && { type: "heading", level: found[1].length, text: found[2] ?? "", end: at + 1 };
}

function readRule(lines, at) {
  return RULE.test(lines[at]) ? { type: "rule", end: at + 1 } : null;
}

function readQuote(lines, at) {
  if (!QUOTE.test(lines[at])) return null;
  const inside = [];
  let end = at;
  while (end < lines.length && (QUOTE.test(lines[end]) || isLazy(lines, end, inside))) {
    inside.push(lines[end].replace(QUOTE, ""));
    end += 1;
  }
  return { type: "quote", lines: inside, end };
}

/** Say whether a line without its own mark still belongs to the paragraph before it. */
function isLazy(lines, at, inside) {
  const last = inside.at(-1);
  return Boolean(last?.trim() && !FENCE.test(last) && lines[at].trim() && !startsBlock(lines, at));
}

function startsBlock(lines, at) {
  const line = lines[at];
  if (HEADING.test(line) || FENCE.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const item = line.match(ITEM);
  if (item?.[4]) return /^([-*+]|1[.)])$/u.test(item[2]);
  return Boolean(readTable(lines, at));
}

function readParagraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !UNDERLINE.test(lines[end])) {
    if (startsBlock(lines, end)) break;
    end += 1;
  }
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd();
  const under = lines[end]?.match(UNDERLINE);
  if (under) return { type: "heading", level: under[1][0] === "=" ? 1 : 2, text, end: end + 1 };
  return { type: "paragraph", text, end };
}

// --- lists ------------------------------------------------------------------------------------

const widthOf = (text) => text.replaceAll("\t", "    ").length;
const indentOf = (line) => widthOf(line.match(/^[ \t]*/u)[0]);

function readList(lines, at) {
  const first = lines[at].match(ITEM);
  if (!first || widthOf(first[1]) > 3) return null;
  const list = { type: "list", ordered: /\d/u.test(first[2]), items: [], loose: false };
  list.start = list.ordered ? Number.parseInt(first[2], 10) : 1;
  let end = at;
  while (end < lines.length && isNext(lines[end], first)) {
    const item = readItem(lines, end);
    list.items.push(item);
    list.loose ||= item.loose;
    end = item.end;
    let next = end;
    while (next < lines.length && !lines[next].trim()) next += 1;
    if (next > end && next < lines.length && isNext(lines[next], first)) {
      list.loose = true;
      end = next;
    }
  }
  return { ...list, end };
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
  const inside = [text];
  let end = at + 1;
  let fence = null;
  while (
    end < lines.length &&
    belongs(lines, end, { indent: widthOf(indent), room, inside, fence })
  ) {
    const line = dedent(lines[end], room);
    fence = stepFence(fence, line);
    inside.push(line);
    end += 1;
  }
  let loose = false;
  while (inside.length > 1 && !inside.at(-1).trim()) {
    inside.pop();
    end -= 1;
  }
  for (let place = 1; place < inside.length; place += 1) {
    if (!inside[place].trim() && !stepsInFence(inside, place)) loose = true;
  }
  return { lines: inside, end, loose };
}

/** Say whether a line is part of the item: indented under it, blank, or the rest of its paragraph. */
function belongs(lines, at, { indent, room, inside, fence }) {
  const line = lines[at];
  if (fence && indentOf(line) > indent) return true;
  if (!line.trim()) return lines.slice(at).some((next) => next.trim());
  const depth = indentOf(line);
  if (depth >= room) return true;
  // Models often indent a nested list by two spaces whatever the mark's width: take it as nested.
  if (ITEM.test(line)) return depth >= indent + 2;
  return Boolean(inside.at(-1).trim()) && !startsBlock(lines, at);
}

function stepFence(fence, line) {
  const found = line.match(FENCE);
  if (!found) return fence;
  if (!fence) return found[2];
  return found[2].startsWith(fence) && !found[3] ? null : fence;
}

function stepsInFence(lines, place) {
  return lines.slice(0, place).reduce(stepFence, null) !== null;
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

// --- tables -----------------------------------------------------------------------------------

function readTable(lines, at) {
  const rule = lines[at + 1];
  if (!lines[at].includes("|") || !rule?.includes("-") || !TABLE_RULE.test(rule)) return null;
  const head = cellsOf(lines[at]);
  const aligns = cellsOf(rule).map(alignOf);
  if (head.length !== aligns.length) return null;
  let end = at + 2;
  const rows = [];
  while (end < lines.length && lines[end].trim() && !startsOther(lines[end])) {
    rows.push(cellsOf(lines[end]));
    end += 1;
  }
  return { type: "table", head, aligns, rows, end };
}

function startsOther(line) {
  return HEADING.test(line) || FENCE.test(line) || QUOTE.test(line) || RULE.test(line);
}

function cellsOf(line) {
  const inside = line
    .trim()
    .replace(/^\|/u, "")
    .replace(/(^|[^\\])\|$/u, "$1");
  const cells = [""];
  for (let at = 0, code = false; at < inside.length; at += 1) {
    if (inside[at] === "\\" && inside[at + 1] === "|") cells[cells.length - 1] += inside[(at += 1)];
    else if (inside[at] === "|" && !code) cells.push("");
    else cells[cells.length - 1] += inside[at];
    if (inside[at] === "`") code = code ? false : inside.indexOf("`", at + 1) > 0;
  }
  return cells.map((cell) => cell.trim());
}

function alignOf(mark) {
  if (/^:-+:$/u.test(mark)) return "center";
  return mark.endsWith(":") ? "right" : "left";
}

// --- drawing ----------------------------------------------------------------------------------

const DRAWERS = {
  code: (block) => el("pre", { tabindex: "0" }, el("code", { text: block.text })),
  heading: (block, how) =>
    el(
      "p",
      { class: "heading", role: "heading", "aria-level": String(Math.min(6, block.level + 2)) },
      ...line(block.text, how),
    ),
  rule: () => el("hr"),
  paragraph: (block, how) => el("p", {}, ...line(block.text, how)),
  quote: (block, how) => el("blockquote", {}, ...drawAll(block.lines, how)),
  list: drawList,
  table: drawTable,
};

const line = (text, how) => inline(text, MARKDOWN, how.open);

function drawBlock(block, how) {
  return DRAWERS[block.type](block, how);
}

function drawAll(lines, how) {
  if (how.depth >= DEPTH) return [el("p", { text: lines.join("\n") })];
  const blocks = splitBlocks(lines);
  return blocks.map((block, at) =>
    drawBlock(block, { open: how.open && at === blocks.length - 1, depth: how.depth + 1 }),
  );
}

function drawList(list, how) {
  const start = list.ordered && list.start !== 1 ? String(list.start) : null;
  const items = list.items.map((item, at) =>
    drawItem(item, list.loose, { ...how, open: how.open && at === list.items.length - 1 }),
  );
  return el(list.ordered ? "ol" : "ul", { start, class: list.loose ? "loose" : null }, ...items);
}

function drawItem(item, loose, how) {
  const [first, ...rest] = item.lines;
  const task = first.match(/^\[([ xX])\][ \t]+(.*)$/u);
  const nodes = drawAll(task ? [task[2], ...rest] : item.lines, how);
  const flat = loose
    ? nodes
    : nodes.flatMap((node) =>
        node.nodeName === "P" && !node.className ? [...node.childNodes] : [node],
      );
  if (!task) return el("li", {}, ...flat);
  const done = task[1] !== " ";
  const box = el("input", {
    type: "checkbox",
    disabled: true,
    checked: done,
    "aria-label": done ? "done" : "not done",
  });
  return el("li", { class: "task" }, box, el("div", {}, ...flat));
}

function drawTable(table, how) {
  const row = (tag) => (cells) =>
    el(
      "tr",
      {},
      ...table.aligns.map((align, at) =>
        el(tag, { class: `align-${align}` }, ...line(cells[at] ?? "", how)),
      ),
    );
  return tableFrame(
    el("thead", {}, row("th")(table.head)),
    el("tbody", {}, ...table.rows.map(row("td"))),
  );
}

/** Build a table that scrolls inside itself, so that the page never does. */
export function tableFrame(...parts) {
  return el(
    "div",
    { class: "table-frame", role: "region", "aria-label": "Table", tabindex: "0" },
    el("table", {}, ...parts),
  );
}
