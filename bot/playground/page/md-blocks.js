/** Splits Markdown into its blocks, without drawing anything; `md-lists.js` reads the lists. */
import { readList } from "./md-lists.js";
import {
  endsParagraph,
  FENCE,
  HEADING,
  opensBlock,
  opensTable,
  QUOTE,
  RULE,
  UNDERLINE,
} from "./md-syntax.js";

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
  return Boolean(
    last?.trim() && !FENCE.test(last) && lines[at].trim() && !endsParagraph(lines, at),
  );
}

function readTable(lines, at) {
  if (!opensTable(lines, at)) return null;
  const head = cellsOf(lines[at]);
  const aligns = cellsOf(lines[at + 1]).map(alignOf);
  if (head.length !== aligns.length) return null;
  let end = at + 2;
  const rows = [];
  while (end < lines.length && lines[end].trim() && !opensBlock(lines[end])) {
    rows.push(cellsOf(lines[end]));
    end += 1;
  }
  return { type: "table", head, aligns, rows, end };
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

function readParagraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !UNDERLINE.test(lines[end])) {
    if (endsParagraph(lines, end)) break;
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
