/**
 * Where a person writes: one text field with completion, files by button, paste or drop, Enter to
 * send. Keeps a draft per place. What sending means is the owner's business (`send`).
 */
import { Completion } from "./completion.js";
import { el, fill, iconButton } from "./dom.js";
import { Pending } from "./files.js";
import { openPicker } from "./picker.js";
import { glyphOf } from "./emoji.js";
import { openShortcuts } from "./shortcuts.js";

const HIGHEST_PX = 240;

export class Composer {
  /**
   * `send({text, files})` resolves to true when the words may go; `stop()` is the Stop button;
   * `run(shortcut)` runs a global shortcut; `onUp()` is ↑ in an empty field.
   */
  constructor({ store, label, send, stop, run, onUp }) {
    this.store = store;
    this.sendIt = send;
    this.run = run;
    this.onUp = onUp;
    this.drafts = new Map();
    this.field = el("textarea", {
      rows: "1",
      "aria-label": label,
      autocomplete: "off",
      spellcheck: "true",
    });
    this.completion = new Completion(this.field, store, { run });
    this.usage = el("p", { class: "usage", hidden: true });
    this.pending = new Pending(() => this.refresh());
    this.chooser = el("input", {
      type: "file",
      multiple: true,
      class: "visually-hidden",
      tabindex: "-1",
      "aria-label": "Choose files",
    });
    this.sendButton = iconButton("send", "Send", () => this.send(), { class: "send" });
    this.shortcutButton = iconButton(
      "bolt",
      "Shortcuts",
      (event) => openShortcuts(event.currentTarget, this.store.shortcutsOf("global"), run),
      { "aria-haspopup": "menu", hidden: true },
    );
    this.stopButton = el(
      "button",
      { type: "button", class: "stop", hidden: true, on: { click: stop } },
      el("span", { class: "stop-square", "aria-hidden": "true" }),
      "Stop",
    );
    this.node = this.build();
    this.listen();
    this.refresh();
  }

  build() {
    const tools = el(
      "div",
      { class: "composer-tools" },
      iconButton("clip", "Attach files", () => this.chooser.click()),
      iconButton("smile", "Insert an emoji", (event) =>
        openPicker(event.currentTarget, (name) => this.insert(glyphOf(name))),
      ),
      this.shortcutButton,
      el("span", { class: "composer-hint", text: "Enter sends · Shift Enter breaks the line" }),
      this.stopButton,
      this.sendButton,
    );
    const box = el("div", { class: "composer-box" }, this.pending.node, this.usage, this.field, tools);
    return el(
      "form",
      { class: "composer", on: { submit: (event) => event.preventDefault() } },
      this.completion.node,
      box,
      this.chooser,
    );
  }

  listen() {
    this.field.addEventListener("input", () => this.refresh());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("paste", (event) => this.takeFiles(event.clipboardData, event));
    this.chooser.addEventListener("change", () => {
      this.pending.add([...this.chooser.files]);
      this.chooser.value = "";
      this.focus();
    });
  }

  /** Take files out of a paste or a drop; text goes its usual way. */
  takeFiles(transfer, event) {
    const files = [...(transfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.pending.add(files);
    this.focus();
  }

  /** Write for another place: keeps the old place's draft and brings the new one's back. */
  moveTo(place, placeholder) {
    this.field.placeholder = placeholder;
    this.field.setAttribute("aria-label", placeholder);
    this.shortcutButton.hidden = !this.store.shortcutsOf("global").length;
    if (place === this.place) return;
    if (this.place) this.drafts.set(this.place, this.field.value);
    this.place = place;
    this.field.value = this.drafts.get(place) ?? "";
    this.pending.set([]);
    this.completion.close();
  }

  key(event) {
    if (event.isComposing || this.completion.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "ArrowUp" && !this.field.value) {
      event.preventDefault();
      event.stopPropagation();
      this.onUp();
    }
  }

  async send() {
    const text = this.field.value.trimEnd();
    const files = this.pending.files;
    if (this.sending || (!text.trim() && !files.length)) return;
    this.sending = true;
    const place = this.place;
    const gone = await this.sendIt({ text, files }).finally(() => (this.sending = false));
    if (!gone) return;
    this.drafts.delete(place);
    if (place !== this.place) return;
    this.field.value = "";
    this.pending.set([]);
  }

  insert(text) {
    this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
    this.focus();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Put text into an empty field, or only the focus into a used one. */
  start(text = "") {
    if (!this.field.value) this.field.value = text;
    this.focus();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  focus() {
    this.field.focus();
  }

  /** Say how the command that is being written is used. */
  showUsage() {
    const name = this.field.value.match(/^(\/\S+)\s/u)?.[1];
    const command = this.store.commands.find((one) => one.command === name);
    this.usage.hidden = !command;
    if (!command) return;
    const usage = [command.command, command.usage_hint].filter(Boolean).join(" ");
    fill(this.usage, el("code", { text: usage }), el("span", { text: command.description }));
  }

  setStop(visible) {
    this.stopButton.hidden = !visible;
  }

  refresh() {
    this.showUsage();
    this.shortcutButton.hidden = !this.store.shortcutsOf("global").length;
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, HIGHEST_PX)}px`;
    this.sendButton.disabled = !this.field.value.trim() && !this.pending.files.length;
  }
}

/** Let files be dropped anywhere on `area` for `composer`. */
export function acceptDrops(area, composer) {
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    area.classList.toggle("dropping", depth > 0);
  };
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  area.addEventListener("dragenter", (event) => hasFiles(event) && show(1));
  area.addEventListener("dragleave", (event) => hasFiles(event) && show(-1));
  area.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  area.addEventListener("drop", (event) => {
    show(-depth);
    composer.takeFiles(event.dataTransfer, event);
  });
}
