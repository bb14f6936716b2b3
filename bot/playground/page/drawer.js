/**
 * The drawer under the conversations: what goes over the wire (journal) and what shall go wrong
 * (chaos). Slack has nothing like it; it belongs to the playground. On a phone it is a screen.
 */
import { Chaos } from "./chaos.js";
import { el, fill, iconButton } from "./dom.js";
import { Journal } from "./journal.js";

const KEY = "playground.drawer";
const TABS = { journal: "Journal", chaos: "Chaos" };

export class Drawer {
  /** `onToggle(isOpen)` is called when it opens or closes. */
  constructor(root, { onToggle = () => {} } = {}) {
    this.root = root;
    this.onToggle = onToggle;
    this.parts = { journal: new Journal(), chaos: new Chaos() };
    this.tabs = Object.entries(TABS).map(([name, words]) => this.tab(name, words));
    const list = el(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "Playground" },
      ...this.tabs,
    );
    list.addEventListener("keydown", (event) => this.key(event));
    const grow = (event) =>
      event.currentTarget.setAttribute("aria-pressed", String(root.classList.toggle("tall")));
    const tall = iconButton("down", "Taller", grow, { class: "taller", "aria-pressed": "false" });
    const close = iconButton("close", "Close the drawer (J)", () => this.toggle(false));
    const head = el("header", { class: "drawer-head" }, list, el("span", { class: "gap" }), tall, close);
    for (const [name, part] of Object.entries(this.parts)) {
      part.node.id = `drawer-${name}`;
      part.node.setAttribute("role", "tabpanel");
      part.node.setAttribute("aria-label", TABS[name]);
    }
    fill(root, head, this.parts.journal.node, this.parts.chaos.node);
    const [name, open] = (sessionStorage.getItem(KEY) ?? "journal").split(" ");
    this.name = TABS[name] ? name : "journal";
    this.show(open === "open");
  }

  tab(name, words) {
    const choose = () => this.choose(name);
    return el("button", {
      type: "button",
      role: "tab",
      class: "tab",
      text: words,
      "aria-controls": `drawer-${name}`,
      data: { tab: name },
      on: { click: choose },
    });
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = this.tabs.indexOf(event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    this.choose(next.dataset.tab);
    next.focus();
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** Open or close it; returns true, as what a key did. */
  toggle(open = !this.isOpen) {
    const hadFocus = this.root.contains(document.activeElement);
    this.show(open);
    if (open) this.tabs.find((tab) => tab.dataset.tab === this.name).focus();
    else if (hadFocus) document.querySelector(".drawer-button")?.focus();
    return true;
  }

  choose(name) {
    this.name = name;
    this.show(true);
  }

  show(open) {
    this.root.hidden = !open;
    document.body.classList.toggle("has-drawer", open);
    for (const tab of this.tabs) {
      const selected = tab.dataset.tab === this.name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
    for (const [name, part] of Object.entries(this.parts)) {
      part.node.hidden = name !== this.name;
      part.run(open && name === this.name);
    }
    sessionStorage.setItem(KEY, `${this.name} ${open ? "open" : ""}`.trim());
    this.onToggle(open);
  }
}
