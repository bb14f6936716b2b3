/** Shortcuts of apps: those of a message in its menu, the global ones beside where one writes. */
import { el } from "./dom.js";
import { openMenu } from "./popover.js";

/** Open the menu of shortcuts beside `anchor`; `run(shortcut)` is called with the one chosen. */
export function openShortcuts(anchor, shortcuts, run) {
  const choices = shortcuts.map((shortcut) => ({
    nodes: [
      el("strong", { text: shortcut.title }),
      el("span", { class: "quiet", text: shortcut.name }),
    ],
    role: "menuitem",
    data: { shortcut: shortcut.callback_id },
    choose: () => run(shortcut),
  }));
  openMenu(anchor, "Shortcuts", choices);
}
