/** What can be pressed: buttons, menus, feedback; the way to the elements that are filled in. */
import { el, iconButton, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { pictureOf } from "./pictures.js";
import { askFirst } from "./form.js";
import { INPUTS } from "./inputs.js";
import { openMenu } from "./popover.js";
import { SELECTS } from "./selects.js";
import { textObject, wordsOf } from "./texts.js";

const DRAWERS = {
  button: drawButton,
  workflow_button: drawButton,
  overflow: drawOverflow,
  feedback_buttons: drawFeedback,
  icon_button: drawIconButton,
  image: (part) => pictureOf(part, "accessory-image"),
  ...INPUTS,
  ...SELECTS,
};

/** Draw one element of a block; `how` as in `showBlocks`. */
export function drawElement(part, block, how) {
  const draw = DRAWERS[part.type];
  if (draw) return draw(part, block, how);
  return el("span", { class: "unknown", text: `${part.type} is not drawn here.` });
}

/** Tell the app that an element was pressed, after its own question if it has one. */
async function press(part, block, how, value) {
  if (!(await askFirst(part))) return false;
  const { action_id } = part;
  how.press({ block_id: block.block_id, action_id, value, values: how.form.values() });
  return true;
}

function drawButton(part, block, how) {
  const classes = `button ${part.style ? `button-${part.style}` : ""}`.trim();
  const label = part.accessibility_label ?? null;
  const button = el(
    "button",
    {
      type: "button",
      class: classes,
      "aria-label": label,
      title: label,
      data: { action: part.action_id ?? "" },
      on: { click: () => press(part, block, how, part.value) },
    },
    ...textObject(part.text),
  );
  return part.url ? link(part.url, button) : button;
}

function drawIconButton(part, block, how) {
  const label = part.accessibility_label ?? wordsOf(part.text, part.icon);
  return iconButton("trash", label, () => press(part, block, how, part.value), {
    data: { action: part.action_id ?? "" },
  });
}

function drawOverflow(part, block, how) {
  const open = (event) =>
    openMenu(
      event.currentTarget,
      "More actions",
      (part.options ?? []).map((option) => ({
        nodes: [
          el(
            "span",
            { class: "menu-words" },
            el("span", {}, ...textObject(option.text)),
            option.description &&
              el("span", { class: "quiet" }, ...textObject(option.description)),
          ),
        ],
        role: "menuitem",
        choose: () => {
          if (option.url) link(option.url).click?.();
          press(part, block, how, option.value);
        },
      })),
    );
  return iconButton("more", "More actions", open, {
    class: "overflow",
    "aria-haspopup": "menu",
    data: { action: part.action_id ?? "" },
  });
}

function drawFeedback(part, block, how) {
  const buttons = [];
  for (const [side, name] of [
    ["positive_button", "+1"],
    ["negative_button", "-1"],
  ]) {
    const choice = part[side];
    if (!choice) continue;
    const label = choice.accessibility_label ?? wordsOf(choice.text, name);
    const choose = () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      press(part, block, how, choice.value);
    };
    const button = el(
      "button",
      {
        type: "button",
        class: "feedback",
        "aria-label": label,
        title: label,
        "aria-pressed": "false",
        data: { action: part.action_id ?? "" },
        on: { click: choose },
      },
      emoji(name),
    );
    buttons.push(button);
  }
  return el("span", { class: "feedback-pair" }, ...buttons);
}
