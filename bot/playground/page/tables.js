/** Tables in blocks: `table`, and `data_table` with its pages and its sorting. */
import { el, fill } from "./dom.js";
import { tableFrame } from "./markdown.js";
import { richTextCell } from "./richtext.js";
import { plain } from "./texts.js";

const PAGE_SIZE = 5;

/** How each block type is drawn: `(block) -> node`. */
export const TABLES = { table: drawTable, data_table: (block) => new DataTable(block).node };

function drawTable(block) {
  const columns = block.column_settings ?? [];
  const cell = (tag) => (content, at) => cellOf(tag, content, columns[at]);
  const [head = [], ...rows] = block.rows ?? [];
  const frame = tableFrame(
    el("thead", {}, el("tr", {}, ...head.map(cell("th")))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell("td"))))),
  );
  frame.classList.add("block");
  return frame;
}

function cellOf(tag, content, { align = "left", is_wrapped: wrapped = false } = {}) {
  const classes = `align-${align}${wrapped ? " wrapped" : ""}`;
  return el(tag, { class: classes }, ...cellNodes(content));
}

function cellNodes(content) {
  if (content.type === "rich_text") return richTextCell(content);
  return plain(String(content.text ?? content.value ?? ""), true);
}

/** Return what a cell sorts by: its number, else its letters. */
function rankOf(content = {}) {
  if (content.type === "raw_number") return Number(content.value ?? content.text);
  return cellNodes(content)
    .map((node) => node.textContent)
    .join("");
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

class DataTable {
  constructor(block) {
    const [head = [], ...rows] = block.rows ?? [];
    Object.assign(this, { block, head, rows, page: 0, sorted: null });
    this.size = block.page_size ?? PAGE_SIZE;
    this.body = el("tbody");
    this.columns = head.map((content, at) => this.column(content, at));
    const frame = tableFrame(
      block.caption ? el("caption", { text: block.caption }) : null,
      el("thead", {}, el("tr", {}, ...this.columns)),
      this.body,
    );
    if (block.caption) frame.setAttribute("aria-label", block.caption);
    this.foot = el("div", { class: "table-pages" });
    this.node = el("div", { class: "block data-table" }, frame, this.foot);
    this.draw();
  }

  column(content, at) {
    const sort = el("button", { type: "button", on: { click: () => this.sort(at) } });
    return el("th", { scope: "col", class: this.align(at) }, fill(sort, ...cellNodes(content)));
  }

  align(at) {
    return this.rows.some((row) => row[at]?.type === "raw_number") ? "align-right" : "align-left";
  }

  sort(at) {
    const down = this.sorted?.at === at && !this.sorted.down;
    this.sorted = { at, down };
    this.rows.sort((a, b) => compare(rankOf(a[at]), rankOf(b[at])) * (down ? -1 : 1));
    this.page = 0;
    this.draw();
  }

  draw() {
    const from = this.page * this.size;
    const header = this.block.row_header_column_index ?? 0;
    const rows = this.rows.slice(from, from + this.size).map((row) =>
      el(
        "tr",
        {},
        ...row.map((content, at) =>
          el(
            at === header ? "th" : "td",
            { scope: at === header ? "row" : null, class: this.align(at) },
            ...cellNodes(content),
          ),
        ),
      ),
    );
    fill(this.body, ...rows);
    this.columns.forEach((column, at) => {
      const order = this.sorted?.down ? "descending" : "ascending";
      if (this.sorted?.at === at) column.setAttribute("aria-sort", order);
      else column.removeAttribute("aria-sort");
    });
    fill(this.foot, ...this.pages(from));
  }

  pages(from) {
    const all = this.rows.length;
    if (all <= this.size) return [];
    const go = (step) => () => {
      this.page += step;
      this.draw();
    };
    const button = (text, step, off) =>
      el("button", { type: "button", class: "button", text, disabled: off, on: { click: go(step) } });
    const words = `${from + 1} to ${Math.min(from + this.size, all)} of ${all}`;
    return [
      button("Previous", -1, this.page === 0),
      el("span", { class: "quiet", text: words }),
      button("Next", 1, from + this.size >= all),
    ];
  }
}
