/**
 * Markdown to page nodes: the blocks (headings, lists, quotes, fences, tables, rules, paragraphs).
 * `inline.js` does what stands inside a line. Built for text that is still being written: only the
 * blocks at the end that changed are drawn again, so a long answer stays cheap and selectable.
 */
import { el } from "./dom.js";
import { inline, MARKDOWN } from "./inline.js";
import { splitBlocks } from "./md-blocks.js";

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

const DRAWERS = {
  code: (block) => el("pre", { tabindex: "0" }, el("code", { text: block.text })),
  heading: (block, how) =>
    el("p", { class: "heading", role: "heading", "aria-level": "3" }, ...line(block.text, how)),
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
