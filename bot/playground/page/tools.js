/**
 * What one can do with a message of a list: the small toolbar that appears on it, and editing it in
 * place. One toolbar serves the whole list; it moves to the message under the pointer or focus.
 */
import { el, fill, iconButton } from "./dom.js";
import { decodeForEdit } from "./wording.js";

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
    list.scroller.addEventListener("pointerleave", () => this.bar.remove());
  }

  moveTo(article) {
    const row = article && this.list.rows.get(article.dataset.ts);
    if (
      !row ||
      (this.row === row && this.bar.parentNode === article && this.message === row.message)
    )
      return;
    if (this.bar.contains(document.activeElement) && this.bar.parentNode !== article) return;
    this.row = row;
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

  /** Do what a key means for the current message; returns true when there was something to do. */
  key(name, row) {
    if (!row || row.message.ephemeral || row.message.subtype === "tombstone") return false;
    const mine = row.message.user === this.store.me;
    const deeds = {
      react: () => this.act.pickReaction(row.channel, row.message, row.article),
      thread: this.list.inThread ? null : () => this.openThread(row),
      edit: mine ? () => this.edit(row) : null,
      remove: mine ? () => this.act.remove(row.channel, row.message) : null,
    };
    deeds[name]?.();
    return Boolean(deeds[name]);
  }

  /** Edit a message of one's own where it stands. */
  edit(row) {
    if (row.editing) return;
    row.editing = true;
    const { body } = row.parts;
    const field = el("textarea", { "aria-label": "Edit the message", rows: "1" });
    field.value = decodeForEdit(row.message.text ?? "", this.store);
    const close = () => {
      form.remove();
      row.editing = false;
      body.hidden = false;
      row.article.focus();
    };
    const save = async () => {
      if (
        field.value.trim() &&
        (await this.act.edit(row.channel, row.message, field.value.trimEnd()))
      )
        close();
    };
    const cancel = el("button", {
      type: "button",
      class: "button",
      text: "Cancel",
      on: { click: close },
    });
    const done = el("button", {
      type: "button",
      class: "button button-primary",
      text: "Save",
      on: { click: save },
    });
    const form = el(
      "form",
      { class: "editing" },
      field,
      el("div", { class: "editing-foot" }, cancel, done),
    );
    form.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target !== field)
        return;
      event.preventDefault();
      save();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    body.hidden = true;
    body.after(form);
    field.addEventListener("input", () => fit(field));
    fit(field);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }
}

function fit(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
