/**
 * The journal: every call, delivery, acknowledgement, fault and act, as it happens.
 * Reads new entries while it is looked at; keeps the last ones, shows those that fit the filter.
 */
import { journalSince } from "./api.js";
import { el, fill, iconButton } from "./dom.js";
import { GROUPS, groupOf, tieOf, timeOf, wordsFor } from "./journal-words.js";

const EVERY_MS = 700;
const KEEP = 5000;
const SHOWN = 300;
const NEAR_PX = 40;

export class Journal {
  constructor() {
    this.entries = [];
    this.seq = 0;
    this.off = new Set();
    this.most = SHOWN;
    this.search = el("input", {
      type: "search",
      placeholder: "Filter, e.g. chat.update",
      "aria-label": "Filter the journal",
      on: { input: () => this.redraw() },
    });
    this.count = el("span", { class: "quiet journal-count", role: "status" });
    const bar = el("div", { class: "journal-bar" }, this.search, this.chips(), this.count);
    this.older = el("button", {
      type: "button",
      class: "button journal-older",
      text: "Show older ones",
      hidden: true,
      on: { click: () => this.showOlder() },
    });
    this.list = el("div", { class: "journal-rows", role: "list", "aria-label": "Entries" });
    this.scroller = el("div", { class: "journal-scroller" }, this.older, this.list);
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("[data-seq]");
      if (row) this.open(Number(row.dataset.seq));
    });
    this.detail = el("section", { class: "journal-detail", "aria-label": "Entry", hidden: true });
    const split = el("div", { class: "journal-split" }, this.scroller, this.detail);
    this.node = el("section", { class: "journal" }, bar, split);
  }

  chips() {
    const buttons = Object.keys(GROUPS).map((name) =>
      el("button", {
        type: "button",
        class: "chip",
        text: name,
        "aria-pressed": "true",
        on: { click: (event) => this.flip(name, event.currentTarget) },
      }),
    );
    return el("div", { class: "chips", role: "group", "aria-label": "Kinds of entries" }, ...buttons);
  }

  flip(name, chip) {
    if (!this.off.delete(name)) this.off.add(name);
    chip.setAttribute("aria-pressed", String(!this.off.has(name)));
    this.redraw();
  }

  /** Read on while somebody looks. */
  run(looking) {
    clearTimeout(this.timer);
    this.looking = looking;
    if (looking) this.read();
  }

  async read() {
    if (this.reading) return;
    this.reading = true;
    try {
      this.take(await journalSince(this.seq));
    } catch (error) {
      this.count.textContent = error.message;
    }
    this.reading = false;
    if (this.looking) this.timer = setTimeout(() => this.read(), EVERY_MS);
  }

  take(entries) {
    if (!entries.length) {
      this.tell();
      return;
    }
    this.seq = entries.at(-1).seq;
    this.entries = [...this.entries, ...entries].slice(-KEEP);
    const pinned = this.isPinned();
    this.list.append(...entries.slice(-this.most).filter((e) => this.fits(e)).map(rowOf));
    this.trim();
    if (pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.tell();
  }

  isPinned() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }

  fits(entry) {
    if (this.off.has(groupOf(entry.kind))) return false;
    const needle = this.search.value.trim().toLowerCase();
    if (!needle) return true;
    return JSON.stringify(entry).toLowerCase().includes(needle);
  }

  redraw() {
    this.most = SHOWN;
    this.fillRows();
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  showOlder() {
    const before = this.scroller.scrollHeight;
    this.most += SHOWN;
    this.fillRows();
    this.scroller.scrollTop += this.scroller.scrollHeight - before;
  }

  fillRows() {
    const fitting = this.entries.filter((entry) => this.fits(entry));
    fill(this.list, ...fitting.slice(-this.most).map(rowOf));
    this.older.hidden = fitting.length <= this.most;
    this.mark();
    this.tell();
  }

  trim() {
    while (this.list.childElementCount > this.most) {
      this.list.firstElementChild.remove();
      this.older.hidden = false;
    }
  }

  tell() {
    const all = this.entries.length;
    const shown = this.list.childElementCount;
    this.count.textContent = shown === all ? `${all} entries` : `${shown} of ${all}`;
  }

  // --- one entry --------------------------------------------------------------------------------

  key(event) {
    const rows = [...this.list.querySelectorAll("button")];
    const at = rows.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && at >= 0) rows[at + step]?.focus();
    else if (event.key === "Escape" && !this.detail.hidden) this.closeDetail();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  open(seq) {
    const entry = this.entries.find((one) => one.seq === seq);
    if (!entry) return;
    this.opened = seq;
    const tie = tieOf(entry);
    const follow = () => {
      this.search.value = tie;
      this.redraw();
    };
    const { kind, what } = wordsFor(entry);
    fill(
      this.detail,
      el(
        "header",
        { class: "journal-detail-head" },
        el("h3", { text: `${kind} ${what}` }),
        tie
          ? el("button", {
            type: "button",
            class: "button",
            text: "All of this event",
            on: { click: follow },
          })
          : null,
        iconButton("close", "Close the entry", () => this.closeDetail()),
      ),
      el("pre", { tabindex: "0" }, el("code", { text: JSON.stringify(entry, null, 2) })),
    );
    this.detail.hidden = false;
    this.mark();
  }

  closeDetail() {
    this.detail.hidden = true;
    const row = this.list.querySelector(`[data-seq="${this.opened}"] button`);
    this.opened = null;
    this.mark();
    row?.focus();
  }

  mark() {
    for (const row of this.list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    const row = this.list.querySelector(`[data-seq="${this.opened}"] button`);
    row?.setAttribute("aria-current", "true");
  }
}

function rowOf(entry) {
  const { kind, what, how, ms, isBad } = wordsFor(entry);
  const button = el(
    "button",
    { type: "button", class: `journal-row${isBad ? " bad" : ""}` },
    el("span", { class: "journal-time", text: timeOf(entry) }),
    el("span", { class: `journal-kind group-${groupOf(entry.kind).toLowerCase()}`, text: kind }),
    el("span", { class: "journal-what", text: what }),
    el("span", { class: "journal-how", text: how }),
    el("span", { class: "journal-ms", text: ms }),
  );
  return el("div", { role: "listitem", data: { seq: String(entry.seq) } }, button);
}
