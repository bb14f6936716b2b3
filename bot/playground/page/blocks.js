/**
 * Block Kit to page nodes: what stands under a message, with its buttons.
 * A block whose source is unchanged keeps its nodes when the message is shown again.
 */
import { el, icon, iconButton, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { pictureSource } from "./files.js";
import { decode } from "./inline.js";
import { showMarkdown, tableFrame } from "./markdown.js";
import { mrkdwn, mrkdwnLine } from "./mrkdwn.js";
import { richText, richTextCell } from "./richtext.js";
import { confirm } from "./dialogs.js";

/**
 * Show `blocks` in `container`. `press(action)` is called with `{block_id, action_id, value}` when a
 * button is pressed; `open` says that the message is still being streamed.
 */
export function showBlocks(container, blocks, { press, open = false }) {
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
    const node = drawBlock(block, { press, open: tail });
    if (known) known.node.replaceWith(node);
    else container.append(node);
    drawn[at] = { key, type: block.type, node, tail };
  });
  for (const extra of drawn.splice(blocks.length)) extra.node.remove();
  container.drawnBlocks = drawn;
}

const DRAWERS = {
  section: drawSection,
  header: (block) => el("h3", { class: "block block-header" }, ...textObject(block.text)),
  divider: () => el("hr", { class: "block" }),
  context: drawContext,
  actions: (block, how) =>
    el(
      "div",
      { class: "block block-actions" },
      ...(block.elements ?? []).map((part) => drawElement(part, block, how)),
    ),
  context_actions: drawContextActions,
  markdown: drawMarkdown,
  rich_text: (block) => el("div", { class: "block text" }, ...richText(block)),
  image: drawImage,
  table: drawTable,
  plan: (block) => el("p", { class: "block task-title" }, ...plain(block.title ?? "", true)),
  task_card: drawTask,
};

const TASK_SIGNS = { pending: "○", in_progress: "▸", complete: "✓", error: "✕" };

function drawTask(block) {
  const sign = el("span", {
    class: "task-sign",
    text: TASK_SIGNS[block.status] ?? "○",
    role: "img",
    "aria-label": block.status ?? "",
  });
  const details = typeof block.details === "string" ? block.details : "";
  const words = el(
    "div",
    { class: "text" },
    el("p", { class: "task-title" }, ...plain(block.title ?? "", true)),
  );
  if (details) words.append(el("p", { class: "quiet", text: details }));
  return el("div", { class: "block block-task" }, sign, words);
}

function drawBlock(block, how) {
  const draw = DRAWERS[block.type];
  if (draw) return draw(block, how);
  return el("p", { class: "block unknown", text: `A ${block.type} block is not drawn here.` });
}

/** Draw a text object: `plain_text` (emoji names become emoji) or `mrkdwn`. */
function textObject(text, whole = false) {
  if (!text) return [];
  if (text.type === "mrkdwn") return whole ? mrkdwn(text.text) : mrkdwnLine(text.text);
  return plain(text.text ?? "", text.emoji !== false);
}

function plain(text, withEmoji) {
  return decode(text)
    .split(/(:[a-z0-9_+'-]+(?:::skin-tone-[2-6])?:|\n)/u)
    .filter(Boolean)
    .map((piece) => {
      if (piece === "\n") return el("br");
      return withEmoji && /^:.+:$/u.test(piece)
        ? emoji(piece.slice(1, -1))
        : document.createTextNode(piece);
    });
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
  const body = el(
    "div",
    { class: "section-body" },
    el("div", { class: "text" }, ...textObject(block.text, true)),
  );
  if (fields.length) body.append(el("div", { class: "fields" }, ...fields));
  const accessory = block.accessory ? drawElement(block.accessory, block, how) : null;
  return el("div", { class: "block block-section" }, body, accessory);
}

function drawContext(block) {
  const parts = (block.elements ?? []).map((part) =>
    part.type === "image"
      ? picture(part, "context-image")
      : el("span", { class: "text" }, ...textObject(part)),
  );
  return el("div", { class: "block block-context" }, ...parts);
}

// --- what can be pressed ------------------------------------------------------------------------

function drawElement(part, block, how) {
  if (part.type === "button") return drawButton(part, block, how);
  if (part.type === "image") return picture(part, "accessory-image");
  return el("span", { class: "unknown", text: `${part.type} is not drawn here.` });
}

function drawButton(part, block, how) {
  const classes = `button ${part.style ? `button-${part.style}` : ""}`.trim();
  const label = part.accessibility_label ?? null;
  const press = async () => {
    if (part.confirm && !(await confirm(confirmWords(part.confirm)))) return;
    how.press({ block_id: block.block_id, action_id: part.action_id, value: part.value });
  };
  const button = el(
    "button",
    {
      type: "button",
      class: classes,
      "aria-label": label,
      title: label,
      data: { action: part.action_id ?? "" },
      on: { click: press },
    },
    ...textObject(part.text),
  );
  return part.url ? link(part.url, button) : button;
}

function confirmWords(object) {
  const words = (text, otherwise) => decode(text?.text ?? otherwise);
  return {
    title: words(object.title, "Are you sure?"),
    text: words(object.text, ""),
    yes: words(object.confirm, "Yes"),
    no: words(object.deny, "Cancel"),
    danger: object.style === "danger",
  };
}

function drawContextActions(block, how) {
  const parts = (block.elements ?? []).flatMap((part) => {
    if (part.type === "feedback_buttons") return feedback(part, block, how);
    if (part.type === "icon_button") {
      const send = () =>
        how.press({ block_id: block.block_id, action_id: part.action_id, value: part.value });
      return [iconButton("trash", decode(part.text?.text ?? part.icon), send)];
    }
    return [drawElement(part, block, how)];
  });
  return el("div", { class: "block block-feedback" }, ...parts);
}

function feedback(part, block, how) {
  const buttons = [];
  for (const [side, name] of [
    ["positive_button", "+1"],
    ["negative_button", "-1"],
  ]) {
    const choice = part[side];
    if (!choice) continue;
    const label = choice.accessibility_label ?? decode(choice.text?.text ?? name);
    const choose = () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      how.press({ block_id: block.block_id, action_id: part.action_id, value: choice.value });
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
  return buttons;
}

// --- pictures and tables ------------------------------------------------------------------------

function picture(part, classes) {
  const source = pictureSource(part.image_url ?? part.slack_file?.url ?? "", part.slack_file?.id);
  const alt = part.alt_text ?? "";
  // Nothing is loaded from other hosts, as the page promises; the address stays a link.
  if (!source) return link(part.image_url ?? "", icon("file"), alt || part.image_url || "image");
  return el("img", { src: source, alt, class: classes, loading: "lazy" });
}

function drawImage(block) {
  const title = block.title ? el("figcaption", {}, ...textObject(block.title)) : null;
  return el("figure", { class: "block block-image" }, title, picture(block, "picture"));
}

function drawTable(block) {
  const columns = block.column_settings ?? [];
  const cell = (tag) => (content, at) =>
    el(
      tag,
      {
        class: `align-${columns[at]?.align ?? "left"}${columns[at]?.is_wrapped ? " wrapped" : ""}`,
      },
      ...cellNodes(content),
    );
  const [head = [], ...rows] = block.rows ?? [];
  const frame = tableFrame(
    el("thead", {}, el("tr", {}, ...head.map(cell("th")))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell("td"))))),
  );
  frame.classList.add("block");
  return frame;
}

function cellNodes(content) {
  return content.type === "rich_text" ? richTextCell(content) : plain(content.text ?? "", true);
}
