/** The keys of the page (the `?` dialog lists them); text fields and open boxes keep their own. */
import { shelvesOf } from "./channels.js";
import { showKeys } from "./dialogs.js";
import { go, here } from "./route.js";

/** Listen for the page's keys; `panes` is `{channel, thread}`, `drawer` lies under them. */
export function listenForKeys(store, panes, drawer) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || isBusy(event.target)) return;
    const typing = event.target.matches("input, textarea, select");
    const deed = event.target.closest(".drawer")
      ? inDrawer(event, typing, drawer)
      : typing
        ? whileTyping(event, store)
        : deedOf(event, store, { panes, drawer });
    if (deed?.() ?? false) event.preventDefault();
  });
}

function isBusy(target) {
  return Boolean(target.closest("dialog, .popover"));
}

function inDrawer({ key }, typing, drawer) {
  if (key === "Escape") return () => drawer.toggle(false);
  return typing ? null : { j: () => drawer.toggle(false), "?": showAll }[key.toLowerCase()];
}

function whileTyping(event, store) {
  if (event.altKey && /^Arrow(Up|Down)$/u.test(event.key))
    return () => nextChannel(store, event.key);
  if (event.key === "Escape") return () => leave(event.target);
  return null;
}

function deedOf(event, store, { panes, drawer }) {
  if (event.ctrlKey || event.metaKey) return null;
  if (event.altKey) return whileTyping(event, store);
  const pane = paneOf(event.target, panes);
  const row = pane.list.current();
  const tools = pane.list.tools;
  const deeds = {
    ArrowUp: () => pane.list.move(-1),
    ArrowDown: () => pane.list.move(1),
    ArrowRight: () => tools.key("thread", row),
    ArrowLeft: () => leave(event.target),
    Enter: event.target.matches("article") ? () => tools.key("thread", row) : null,
    Escape: () => leave(event.target),
    Delete: () => tools.key("remove", row),
    r: () => tools.key("react", row),
    e: () => tools.key("edit", row),
    s: () => tools.key("shortcuts", row),
    j: () => drawer.toggle(),
    m: () => write(pane, ""),
    "/": () => write(pane, "/"),
    "?": showAll,
  };
  return deeds[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

function paneOf(target, panes) {
  if (panes.thread.root.contains(target)) return panes.thread;
  if (panes.channel.root.contains(target)) return panes.channel;
  return here().thread ? panes.thread : panes.channel;
}

function write(pane, text) {
  pane.composer.start(text);
  return true;
}

function showAll() {
  showKeys();
  return true;
}

/** Close the thread if one is open; else only leave the field. */
function leave(target) {
  const { channel, thread } = here();
  if (thread) go(channel);
  else target.blur();
  return true;
}

function nextChannel(store, key) {
  const { channels, direct, apps } = shelvesOf(store);
  const all = [...channels, ...direct, ...apps].map((channel) => channel.id);
  const at = all.indexOf(here().channel);
  go(all[(at + (key === "ArrowUp" ? -1 : 1) + all.length) % all.length]);
  return true;
}
