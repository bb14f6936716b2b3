/**
 * A scrolling list of messages: a channel's, or a thread's. Rows are kept by ts; only rows whose
 * message or place changed are drawn again. It stays at the bottom only if the reader was there.
 */
import { el, icon } from "./dom.js";
import { Row } from "./message.js";
import { dayOf, momentOf } from "./names.js";

/** Messages of one author this close together share one head. */
const COMPACT_MS = 5 * 60 * 1000;
const NEAR_PX = 48;

export class MessageList {
  /** Take the scrolling element; `act` as in `message.js`; `lookOf(message)` adds what the row shows. */
  constructor(scroller, { act, lookOf, label }) {
    this.scroller = scroller;
    this.act = act;
    this.lookOf = lookOf;
    this.rows = new Map();
    this.pinned = true;
    this.list = el("ol", { class: "messages", "aria-label": label });
    this.before = el("div", { class: "list-before" });
    this.inside = el("div", { class: "scroll-inside" }, this.before, this.list);
    this.jump = el(
      "button",
      { type: "button", class: "jump", hidden: true, on: { click: () => this.toBottom() } },
      "New messages",
      icon("down"),
    );
    scroller.append(this.inside);
    scroller.after(this.jump);
    scroller.addEventListener("scroll", () => this.noticeScroll(), { passive: true });
    this.watch = new ResizeObserver(() => this.keepPinned());
    this.watch.observe(this.inside);
    this.watch.observe(scroller);
  }

  /** Show the messages of a place (its key); another place starts afresh at the bottom. */
  show(key, channel, messages) {
    if (key !== this.key) this.clear(key);
    const grown = messages.length > 0 && messages.at(-1).ts !== this.newest;
    this.newest = messages.at(-1)?.ts;
    const wanted = new Set(messages.map((message) => message.ts));
    for (const [ts, row] of this.rows) if (!wanted.has(ts)) this.drop(ts, row);
    let place = this.list.firstElementChild;
    messages.forEach((message, at) => {
      const row = this.rowOf(message, channel);
      row.update(message, { ...this.placeOf(messages, at), ...this.lookOf(message) });
      if (row.node === place) place = place.nextElementSibling;
      else this.list.insertBefore(row.node, place);
    });
    if (grown && !this.pinned) this.jump.hidden = false;
    this.keepRoving();
  }

  clear(key) {
    this.key = key;
    this.rows.clear();
    this.list.replaceChildren();
    this.newest = undefined;
    this.pinned = true;
    this.jump.hidden = true;
  }

  rowOf(message, channel) {
    if (!this.rows.has(message.ts))
      this.rows.set(message.ts, new Row(message, { act: this.act, channel }));
    return this.rows.get(message.ts);
  }

  drop(ts, row) {
    const next = row.node.nextElementSibling ?? row.node.previousElementSibling;
    const hadFocus = row.node.contains(document.activeElement);
    row.node.remove();
    this.rows.delete(ts);
    if (hadFocus) next?.querySelector("article")?.focus();
  }

  placeOf(messages, at) {
    const message = messages[at];
    const before = messages[at - 1];
    const day = dayOf(message.ts);
    const newDay = !before || dayOf(before.ts) !== day;
    const shown = newDay && !(this.inThread && at === 0);
    return { day: shown ? day : null, compact: !newDay && isClose(before, message) };
  }

  // --- scrolling --------------------------------------------------------------------------------

  noticeScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.pinned = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.pinned) this.jump.hidden = true;
  }

  keepPinned() {
    if (this.pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  toBottom() {
    this.pinned = true;
    this.jump.hidden = true;
    this.keepPinned();
  }

  // --- moving by keyboard -----------------------------------------------------------------------

  articles() {
    return [...this.list.querySelectorAll(":scope > li > article")];
  }

  /** Move the focus by `step` messages from the focused one, or to the last. */
  move(step) {
    const articles = this.articles();
    const at = articles.findIndex((article) => article.contains(document.activeElement));
    const next = at < 0 ? articles.at(-1) : articles[at + step];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
    return Boolean(next);
  }

  /** Return the row that holds the focus or the pointer, or null. */
  current() {
    const article =
      this.list.querySelector("article:focus-within") ?? this.list.querySelector("article:hover");
    return article ? this.rows.get(article.dataset.ts) : null;
  }

  /** Keep exactly one message in the tab order: the last. */
  keepRoving() {
    const last = this.list.lastElementChild?.querySelector("article");
    if (last === this.roving) return;
    this.roving?.setAttribute("tabindex", "-1");
    last?.setAttribute("tabindex", "0");
    this.roving = last;
  }
}

function isClose(before, message) {
  return (
    before.user === message.user &&
    before.username === message.username &&
    !message.ephemeral === !before.ephemeral &&
    !message.subtype?.startsWith("thread_") &&
    before.subtype !== "tombstone" &&
    !before.reply_count &&
    momentOf(message.ts) - momentOf(before.ts) < COMPACT_MS
  );
}
