/**
 * Block Kit to page nodes: what stands under a message, in a modal and on an app's Home.
 * A block whose source is unchanged keeps its nodes when it is shown again.
 */
import { CARDS } from "./cards.js";
import { el } from "./dom.js";
import { drawElement } from "./elements.js";
import { showMarkdown } from "./markdown.js";
import { pictureOf } from "./pictures.js";
import { richText } from "./richtext.js";
import { TABLES } from "./tables.js";
import { textObject } from "./texts.js";

let last = 0;

/**
 * Show `blocks` in `container`. `press(action)` is called with `{block_id, action_id, value, values}`
 * when an element is pressed or chosen; `form` keeps what is filled in (see `form.js`); `open` says
 * that the message is still being streamed.
 */
export function showBlocks(container, blocks, { press, form, open = false }) {
  const drawn = container.drawnBlocks ?? [];
  blocks.forEach((block, at) => {
    const key = JSON.stringify(block);
    const tail = open && at === blocks.length - 1;
    const known = drawn[at];
    if (known?.key === key && known.tail === tail) return;
    if (known?.type === "markdown" && block.type === "markdown") {
      showMarkdown(known.node, block.text ?? "", tail);
      Object.assign(known, { key, tail });
      return;
    }
    const node = drawBlock(block, { press, form, open: tail, drawBlock });
    replace(container, known?.node, node);
    drawn[at] = { key, type: block.type, node, tail };
  });
  for (const extra of drawn.splice(blocks.length)) extra.node.remove();
  container.drawnBlocks = drawn;
  form.keepOnly(blocks);
}

/** Put a block where an older one stood; the focus stays on the element of the same name. */
function replace(container, old, node) {
  if (!old) {
    container.append(node);
    return;
  }
  const { action } = (old.contains(document.activeElement) && document.activeElement.dataset) || {};
  old.replaceWith(node);
  if (action) node.querySelector(`[data-action="${CSS.escape(action)}"]`)?.focus();
}

const DRAWERS = {
  section: drawSection,
  header: (block) => el("h3", { class: "block block-header" }, ...textObject(block.text)),
  divider: () => el("hr", { class: "block" }),
  context: drawContext,
  actions: (block, how) => drawRow(block, how, "block-actions"),
  context_actions: (block, how) => drawRow(block, how, "block-feedback"),
  input: drawInput,
  markdown: drawMarkdown,
  rich_text: (block) => el("div", { class: "block text" }, ...richText(block)),
  image: drawImage,
  ...TABLES,
  ...CARDS,
};

function drawBlock(block, how) {
  const draw = DRAWERS[block.type];
  if (draw) return draw(block, how);
  return el("p", { class: "block unknown", text: `A ${block.type} block is not drawn here.` });
}

function drawMarkdown(block, how) {
  const node = el("div", { class: "block text markdown" });
  showMarkdown(node, block.text ?? "", how.open);
  return node;
}

function drawSection(block, how) {
  const fields = (block.fields ?? []).map((field) =>
    el("div", { class: "field text" }, ...textObject(field, true)),
  );
  const body = el("div", { class: "section-body" });
  if (block.text) body.append(el("div", { class: "text" }, ...textObject(block.text, true)));
  if (fields.length) body.append(el("div", { class: "fields" }, ...fields));
  const accessory = block.accessory ? drawElement(block.accessory, block, how) : null;
  return el("div", { class: "block block-section" }, body, accessory);
}

function drawContext(block) {
  const parts = (block.elements ?? []).map((part) =>
    part.type === "image"
      ? pictureOf(part, "context-image")
      : el("span", { class: "text" }, ...textObject(part)),
  );
  return el("div", { class: "block block-context" }, ...parts);
}

function drawRow(block, how, classes) {
  const parts = (block.elements ?? []).map((part) => drawElement(part, block, how));
  return el("div", { class: `block ${classes}` }, ...parts);
}

/** Draw a labelled field with its hint and the place for what is wrong with it. */
function drawInput(block, how) {
  const id = `input-${(last += 1)}`;
  const label = { id: `${id}-label`, about: `${id}-error ${id}-hint` };
  const words = el("span", {}, ...textObject(block.label));
  const optional = block.optional ? el("span", { class: "quiet", text: " (optional)" }) : null;
  const control = drawElement(block.element ?? {}, block, { ...how, label });
  const focus = () => (control.matches("div") ? control.querySelector("input") : control)?.focus();
  const hint = block.hint && el("p", { class: "hint", id: `${id}-hint` }, ...textObject(block.hint));
  return el(
    "div",
    { class: "block block-input", data: { block: block.block_id ?? "" } },
    el("p", { class: "input-label", id: label.id, on: { click: focus } }, words, optional),
    control,
    el("p", { class: "input-error", id: `${id}-error`, role: "alert", hidden: true }),
    hint || null,
  );
}

/** Show what is wrong with which input block, `{block_id: text}`; all other notes go. */
export function showErrors(container, errors) {
  let first = null;
  for (const node of container.querySelectorAll(".block-input")) {
    const words = errors[node.dataset.block];
    const note = node.querySelector(".input-error");
    note.textContent = words ?? "";
    note.hidden = !words;
    node.classList.toggle("wrong", Boolean(words));
    const control = node.querySelector("input, textarea, button");
    if (words) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
    if (words) first ??= control;
  }
  first?.focus();
}

function drawImage(block) {
  const title = block.title ? el("figcaption", {}, ...textObject(block.title)) : null;
  return el("figure", { class: "block block-image" }, title, pictureOf(block, "picture"));
}
