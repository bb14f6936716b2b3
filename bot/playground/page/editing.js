/** Editing a message of one's own where it stands: Enter saves, Esc gives up. */
import { el } from "./dom.js";
import { decodeForEdit } from "./wording.js";

/** Put a text field in place of the row's text; `save(text)` resolves to null when refused. */
export function editInPlace(row, { store, save }) {
  if (row.editing) return;
  const field = el("textarea", { "aria-label": "Edit the message", rows: "1" });
  field.value = decodeForEdit(row.message.text, store);
  const close = () => {
    form.remove();
    show(row, false);
    row.article.focus();
  };
  const finish = async () => {
    if (field.value.trim() && (await save(field.value.trimEnd()))) close();
  };
  const form = formOf(field, close, finish);
  form.addEventListener("keydown", (event) => onKey(event, field, close, finish));
  show(row, true);
  row.parts.body.after(form);
  fit(field);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function show(row, editing) {
  row.editing = editing;
  row.parts.body.hidden = editing;
}

function formOf(field, close, finish) {
  const cancel = el("button", {
    type: "button",
    class: "button",
    text: "Cancel",
    on: { click: close },
  });
  const done = el("button", { type: "submit", class: "button button-primary", text: "Save" });
  field.addEventListener("input", () => fit(field));
  const submit = (event) => {
    event.preventDefault();
    finish();
  };
  return el(
    "form",
    { class: "editing", on: { submit } },
    field,
    el("div", { class: "editing-foot" }, cancel, done),
  );
}

function onKey(event, field, close, finish) {
  event.stopPropagation();
  if (event.key === "Escape") close();
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target !== field)
    return;
  event.preventDefault();
  finish();
}

function fit(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
