/**
 * What one can do with a message of a list: the small toolbar that appears on it. One toolbar
 * serves the whole list; it moves to the message under the pointer or focus.
 */
import { el, fill, iconButton } from "./dom.js";
import { editInPlace } from "./editing.js";
import { openShortcuts } from "./shortcuts.js";

export class Tools {
  constructor(list, { store, act }) {
    this.list = list;
    this.store = store;
    this.act = act;
    this.bar = el("div", { class: "tools", role: "toolbar", "aria-label": "Message" });
    list.tools = this;
    for (const event of ["pointerover", "focusin"]) {
      list.list.addEventListener(event, (found) => this.moveTo(found.target.closest("article")));
    }
    // A finger leaves with every tap; only a mouse really goes away.
    list.scroller.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.bar.remove();
    });
  }

  moveTo(article) {
    const row = article && this.list.rows.get(article.dataset.ts);
    if (!row || (this.bar.parentNode === article && this.message === row.message)) return;
    if (this.bar.contains(document.activeElement) && this.bar.parentNode !== article) return;
    this.message = row.message;
    const hadFocus = this.bar.contains(document.activeElement);
    fill(this.bar, ...this.buttons(row));
    if (this.bar.parentNode !== article) article.append(this.bar);
    if (hadFocus) this.bar.querySelector("button")?.focus();
  }

  buttons(row) {
    const { channel, message } = row;
    if (message.ephemeral || message.subtype === "tombstone") return [];
    const buttons = [
      iconButton("smile", "Add a reaction (R)", (event) =>
        this.act.pickReaction(channel, row.message, event.currentTarget),
      ),
    ];
    if (!this.list.inThread) {
      buttons.push(iconButton("thread", "Reply in thread (→)", () => this.openThread(row)));
    }
    if (this.store.shortcutsOf("message").length) {
      buttons.push(
        iconButton("bolt", "Shortcuts (S)", (event) => this.shortcuts(row, event.currentTarget), {
          "aria-haspopup": "menu",
        }),
      );
    }
    if (message.user === this.store.me) {
      buttons.push(iconButton("pencil", "Edit (E)", () => this.edit(row)));
      buttons.push(
        iconButton("trash", "Delete (Del)", () => this.act.remove(channel, row.message)),
      );
    }
    return buttons;
  }

  openThread(row) {
    this.act.openThread(row.channel, row.message.thread_ts || row.message.ts);
  }

  /** Offer what apps can do with this message. */
  shortcuts(row, anchor) {
    openShortcuts(anchor, this.store.shortcutsOf("message"), (shortcut) =>
      this.act.runShortcut(shortcut, row.channel, row.message),
    );
  }

  /** Do what a key means for the current message; returns true when there was something to do. */
  key(name, row) {
    if (!row || row.message.ephemeral || row.message.subtype === "tombstone") return false;
    const mine = row.message.user === this.store.me;
    const deeds = {
      react: () => this.act.pickReaction(row.channel, row.message, row.article),
      thread: this.list.inThread ? null : () => this.openThread(row),
      shortcuts: this.store.shortcutsOf("message").length
        ? () => this.shortcuts(row, row.article)
        : null,
      edit: mine ? () => this.edit(row) : null,
      remove: mine ? () => this.act.remove(row.channel, row.message) : null,
    };
    deeds[name]?.();
    return Boolean(deeds[name]);
  }

  edit(row) {
    editInPlace(row, {
      store: this.store,
      save: (text) => this.act.edit(row.channel, row.message, text),
    });
  }
}
