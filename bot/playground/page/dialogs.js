/** Small modal questions, built on the native dialog element: it traps focus and closes on Esc. */
import { el, iconButton } from "./dom.js";
import { keepToasts } from "./toast.js";

let last = 0;

/** Open a dialog titled `title` that shows `body`; returns the element, which is removed on close. */
export function openDialog(title, body, { buttons = [], classes = "" } = {}) {
  const id = `dialog-${(last += 1)}`;
  const head = el("h2", { id, text: title });
  const dialog = el("dialog", { class: classes, "aria-labelledby": id });
  const close = iconButton("close", "Close", () => dialog.close());
  dialog.append(el("header", {}, head, close), el("div", { class: "dialog-body" }, ...body));
  if (buttons.length) dialog.append(el("footer", {}, ...buttons));
  dialog.addEventListener("close", () => {
    keepToasts(dialog);
    dialog.remove();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Ask a yes/no question; resolves to true only when the person said yes. */
export function confirm({ title, text, yes = "OK", no = "Cancel", danger = false }) {
  return new Promise((resolve) => {
    let answer = false;
    const say = (value) => () => {
      answer = value;
      dialog.close();
    };
    const classes = danger ? "button button-danger" : "button button-primary";
    const dialog = openDialog(title, [el("p", { text })], {
      buttons: [
        el("button", { type: "button", class: "button", text: no, on: { click: say(false) } }),
        el("button", {
          type: "button",
          class: classes,
          text: yes,
          autofocus: true,
          on: { click: say(true) },
        }),
      ],
    });
    dialog.addEventListener("close", () => resolve(answer));
  });
}

const KEYS = [
  ["↑ ↓", "Move through the messages"],
  ["→ or Enter", "Open the thread of a message"],
  ["← or Esc", "Leave the thread, close what is open"],
  ["R", "React to a message"],
  ["E", "Edit your own message"],
  ["Del", "Delete your own message"],
  ["S", "Shortcuts of apps for a message"],
  ["/", "Write a command"],
  ["M", "Write a message"],
  ["Alt ↑ ↓", "Previous or next channel"],
  ["Enter", "Send"],
  ["Shift Enter", "New line"],
  ["@ / :", "Complete a person, a command, an emoji"],
  ["J", "Journal and chaos"],
  ["?", "Show these keys"],
];

/** Show which keys do what. */
export function showKeys() {
  if (document.querySelector("dialog.keys")) return;
  const rows = KEYS.flatMap(([keys, words]) => [
    el(
      "dt",
      {},
      ...keys
        .split(" ")
        .map((key) => (key === "or" ? document.createTextNode("or") : el("kbd", { text: key }))),
    ),
    el("dd", { text: words }),
  ]);
  openDialog("Keys", [el("dl", {}, ...rows)], { classes: "keys" });
}
