/** Elements one fills in: text, dates and times, radio buttons, checkboxes. */
import { el } from "./dom.js";
import { Field } from "./form.js";
import { textObject, wordsOf } from "./texts.js";

let last = 0;

/** How each element type is drawn: `(part, block, how) -> node`. */
export const INPUTS = {
  plain_text_input: (part, block, how) => drawText(part, block, how),
  rich_text_input: (part, block, how) => drawText({ ...part, multiline: true }, block, how),
  email_text_input: (part, block, how) => drawText(part, block, how, { type: "email" }),
  url_text_input: (part, block, how) => drawText(part, block, how, { type: "url" }),
  number_input: (part, block, how) =>
    drawText(part, block, how, {
      type: "number",
      step: part.is_decimal_allowed ? "any" : "1",
      min: part.min_value,
      max: part.max_value,
    }),
  datepicker: (part, block, how) => drawMoment(part, block, how, MOMENTS.datepicker),
  timepicker: (part, block, how) => drawMoment(part, block, how, MOMENTS.timepicker),
  datetimepicker: (part, block, how) => drawMoment(part, block, how, MOMENTS.datetimepicker),
  radio_buttons: drawRadios,
  checkboxes: drawCheckboxes,
};

// --- text ---------------------------------------------------------------------------------------

function drawText(part, block, how, props = { type: "text" }) {
  const field = new Field(part, block, how, initialText(part.initial_value));
  const tag = part.multiline ? "textarea" : "input";
  const control = el(tag, {
    class: "text-field",
    ...(part.multiline ? { rows: String(part.min_lines ?? 4) } : props),
    ...field.naming,
    placeholder: part.placeholder?.text,
    maxlength: part.max_length,
    minlength: part.min_length,
    autofocus: part.focus_on_load,
    autocomplete: "off",
    data: { action: part.action_id ?? "" },
  });
  control.value = field.value ?? "";
  const on = part.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  control.addEventListener("input", () => {
    field.keep(control.value === "" ? null : control.value);
    if (field.tells && on.includes("on_character_entered")) field.tell();
  });
  control.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || (part.multiline && event.shiftKey)) return;
    if (!field.tells || !on.includes("on_enter_pressed")) return;
    event.preventDefault();
    field.tell();
  });
  return control;
}

/** Return the text of an initial value; a rich text object gives its letters. */
function initialText(value) {
  if (!value || typeof value === "string") return value || null;
  const letters = (part) => part.text ?? (part.elements ?? []).map(letters).join("");
  return (value.elements ?? []).map(letters).join("\n") || null;
}

// --- dates and times ----------------------------------------------------------------------------

const MOMENTS = {
  datepicker: {
    type: "date",
    initial: (part) => part.initial_date ?? null,
    read: (text) => text || null,
    show: (value) => value ?? "",
  },
  timepicker: {
    type: "time",
    initial: (part) => part.initial_time ?? null,
    read: (text) => text || null,
    show: (value) => value ?? "",
  },
  datetimepicker: {
    type: "datetime-local",
    initial: (part) => part.initial_date_time ?? null,
    read: (text) => (text ? Math.floor(new Date(text).getTime() / 1000) : null),
    show: (value) => (value ? localMoment(Number(value)) : ""),
  },
};

/** Write a moment (seconds since 1970) as the browser's field wants it, in the reader's zone. */
function localMoment(seconds) {
  const when = new Date(seconds * 1000);
  const zone = when.getTimezoneOffset() * 60_000;
  return new Date(when.getTime() - zone).toISOString().slice(0, 16);
}

function drawMoment(part, block, how, { type, initial, read, show }) {
  const field = new Field(part, block, how, initial(part));
  const control = el("input", {
    type,
    class: "text-field moment",
    ...field.naming,
    autofocus: part.focus_on_load,
    data: { action: part.action_id ?? "" },
  });
  control.value = show(field.value);
  control.addEventListener("change", async () => {
    // While a year is typed its first digits are years as well: 0002, 0020.
    if (/^0/u.test(control.value) && type !== "time") return;
    const value = read(control.value);
    if (value === field.value) return;
    if (!(await field.choose(value))) control.value = show(field.value);
  });
  return control;
}

// --- one or several of a few --------------------------------------------------------------------

function drawRadios(part, block, how) {
  const field = new Field(part, block, how, part.initial_option?.value ?? null);
  return drawBoxes(part, field, {
    type: "radio",
    role: "radiogroup",
    isOn: (value) => field.value === value,
    pick: (value) => value,
  });
}

function drawCheckboxes(part, block, how) {
  const initial = (part.initial_options ?? []).map((option) => option.value);
  const field = new Field(part, block, how, initial);
  const isOn = (value) => (field.value ?? []).includes(value);
  const pick = (value, on) =>
    (part.options ?? [])
      .map((option) => option.value)
      .filter((other) => (other === value ? on : isOn(other)));
  return drawBoxes(part, field, { type: "checkbox", role: "group", isOn, pick });
}

function drawBoxes(part, field, { type, role, isOn, pick }) {
  const name = `boxes-${(last += 1)}`;
  const boxes = [];
  const show = () => boxes.forEach((box) => (box.checked = isOn(box.value)));
  const rows = (part.options ?? []).map((option) => {
    const box = el("input", { type, name, value: option.value });
    box.addEventListener("change", async () => {
      if (!(await field.choose(pick(box.value, box.checked)))) show();
    });
    boxes.push(box);
    const words = el("span", { class: "box-words" }, el("span", {}, ...textObject(option.text)));
    if (option.description)
      words.append(el("span", { class: "quiet" }, ...textObject(option.description)));
    box.setAttribute("aria-label", wordsOf(option.text));
    return el("label", { class: "box" }, box, words);
  });
  show();
  const data = { action: part.action_id ?? "" };
  return el("div", { class: "boxes", role, ...field.naming, data }, ...rows);
}
