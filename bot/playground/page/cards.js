/** Blocks that frame others or stand for work: card, carousel, container, alert, task, plan, video. */
import { el, icon, link } from "./dom.js";
import { drawElement } from "./elements.js";
import { pictureOf } from "./pictures.js";
import { richText } from "./richtext.js";
import { plain, textObject, wordsOf } from "./texts.js";

/** How each block type is drawn: `(block, how) -> node`. */
export const CARDS = {
  card: drawCard,
  carousel: drawCarousel,
  container: drawContainer,
  alert: drawAlert,
  plan: drawPlan,
  task_card: drawTask,
  video: drawVideo,
  file: (block) => drawElsewhere("A file from elsewhere", block.external_id),
  call: (block) => drawElsewhere("A call", block.call_id),
};

function drawCard(block, how) {
  const { hero_image: hero, icon: sign, title, subtitle, body, actions = [] } = block;
  const words = el(
    "div",
    { class: "card-words" },
    title && el("p", { class: "card-title" }, ...textObject(title)),
    subtitle && el("p", { class: "quiet" }, ...textObject(subtitle)),
  );
  const head = el("div", { class: "card-head" }, sign ? pictureOf(sign, "card-icon") : null, words);
  const text = body ? el("div", { class: "text" }, ...textObject(body, true)) : null;
  const buttons = actions.map((part) => drawElement(part, block, how));
  return el(
    "div",
    { class: "block block-card", role: "group", "aria-label": wordsOf(title) || "Card" },
    hero ? pictureOf(hero, "card-hero") : null,
    head,
    text,
    buttons.length ? el("div", { class: "block-actions" }, ...buttons) : null,
  );
}

function drawCarousel(block, how) {
  const cards = (block.elements ?? []).map((card) => how.drawBlock(card, how));
  const label = `${cards.length} cards`;
  return el(
    "div",
    { class: "block block-carousel", role: "region", "aria-label": label, tabindex: "0" },
    ...cards,
  );
}

function drawContainer(block, how) {
  const { title, rich_text_title: rich, subtitle, icon: sign } = block;
  const children = (block.child_blocks ?? []).map((child) => how.drawBlock(child, how));
  const words = [
    sign ? pictureOf(sign, "card-icon") : null,
    el(
      "span",
      { class: "card-words" },
      el("strong", {}, ...(rich ? richText(rich) : textObject(title))),
      subtitle ? el("span", { class: "quiet" }, ...textObject(subtitle)) : null,
    ),
  ];
  const classes = `block block-container${block.width ? ` width-${block.width}` : ""}`;
  const inside = el("div", { class: "container-body" }, ...children);
  if (!block.is_collapsible)
    return el("section", { class: classes }, el("div", { class: "card-head" }, ...words), inside);
  const head = el("summary", { class: "card-head" }, ...words, icon("chevron"));
  return el("details", { class: classes, open: !block.default_collapsed }, head, inside);
}

const LEVELS = { info: "Note", warning: "Warning", error: "Error", success: "Done" };

function drawAlert(block) {
  const level = LEVELS[block.level] ? block.level : "default";
  const sign = LEVELS[level] && el("strong", { class: "alert-sign", text: LEVELS[level] });
  const words = el("div", { class: "text" }, ...textObject(block.text, true));
  return el("div", { class: `block block-alert alert-${level}`, role: "note" }, sign || null, words);
}

// --- work -----------------------------------------------------------------------------------------

const TASK_SIGNS = { pending: "○", in_progress: "▸", complete: "✓", error: "✕" };
const TASK_WORDS = {
  pending: "not yet",
  in_progress: "doing",
  complete: "done",
  error: "failed",
};

function drawPlan(block, how) {
  const tasks = (block.tasks ?? []).map((task) => drawTask(task, how));
  return el(
    "div",
    { class: "block block-plan" },
    el("p", { class: "task-title" }, ...plain(wordsOf(block.title), true)),
    ...tasks,
  );
}

function drawTask(block) {
  const sign = el("span", {
    class: "task-sign",
    text: TASK_SIGNS[block.status] ?? "○",
    role: "img",
    "aria-label": TASK_WORDS[block.status] ?? block.status ?? "",
  });
  const sources = (block.sources ?? []).map((source) =>
    link(source.url ?? "", source.text || source.url || ""),
  );
  const words = el(
    "div",
    { class: "task-words" },
    el("p", { class: "task-title" }, ...plain(wordsOf(block.title), true)),
    ...longer(block.details, "quiet"),
    ...longer(block.output, ""),
    sources.length ? el("p", { class: "task-sources" }, ...sources) : null,
  );
  return el("div", { class: "block block-task" }, sign, words);
}

/** Draw what a task says about itself: one rich text, or plain words while it streams. */
function longer(said, classes) {
  if (!said) return [];
  if (typeof said === "string") return [el("p", { class: classes, text: said })];
  return [el("div", { class: `text ${classes}`.trim() }, ...richText(said))];
}

// --- what plays elsewhere -------------------------------------------------------------------------

function drawVideo(block) {
  const title = wordsOf(block.title, block.alt_text ?? "Video");
  return el(
    "div",
    { class: "block block-card" },
    el("p", { class: "card-title" }, link(block.title_url ?? block.video_url ?? "", title)),
    block.description ? el("p", {}, ...textObject(block.description)) : null,
    el("p", { class: "quiet", text: "A video; it is not played here." }),
  );
}

function drawElsewhere(what, name = "") {
  return el("p", { class: "block unknown", text: `${what} (${name}) is not shown here.` });
}
