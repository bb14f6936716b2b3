/**
 * Slack's `rich_text` blocks to page nodes: sections, lists, code and quotes, with their elements.
 */
import { el, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { broadcastMention, channelMention, personMention, slackToken } from "./names.js";

const SECTIONS = {
  rich_text_section: (part) => el("p", {}, ...elements(part)),
  rich_text_preformatted: (part) => el("pre", { tabindex: "0" }, el("code", {}, ...elements(part))),
  rich_text_quote: (part) => el("blockquote", {}, ...elements(part)),
  rich_text_list: drawList,
};

/** Turn the elements of a `rich_text` block into nodes. */
export function richText(block) {
  return (block.elements ?? []).map((part) => (SECTIONS[part.type] ?? unknown)(part));
}

/** Turn the inside of one rich text cell into nodes without a paragraph around them. */
export function richTextCell(cell) {
  return (cell.elements ?? []).flatMap((part) =>
    part.type === "rich_text_section" ? elements(part) : [(SECTIONS[part.type] ?? unknown)(part)],
  );
}

function unknown(part) {
  return el("p", { class: "unknown", text: `${part.type} is not drawn here.` });
}

function drawList(part) {
  const ordered = part.style === "ordered";
  const start = ordered && part.offset ? String(part.offset + 1) : null;
  const classes = `indent-${Math.min(part.indent ?? 0, 5)}`;
  const items = (part.elements ?? []).map((item) => el("li", {}, ...elements(item)));
  return el(ordered ? "ol" : "ul", { class: classes, start }, ...items);
}

function elements(part) {
  return (part.elements ?? []).flatMap(drawElement);
}

const ELEMENTS = {
  text: (element) => broken(element.text ?? ""),
  link: (element) => [link(element.url, element.text || element.url)],
  user: (element) => [personMention(element.user_id)],
  channel: (element) => [channelMention(element.channel_id)],
  broadcast: (element) => [broadcastMention(element.range)],
  usergroup: (element) => [el("span", { class: "mention", text: `@${element.usergroup_id}` })],
  emoji: (element) => [
    emoji(element.skin_tone ? `${element.name}::skin-tone-${element.skin_tone}` : element.name),
  ],
  color: (element) => [el("code", { text: element.value })],
  date: (element) => [
    slackToken(`!date^${element.timestamp}^${element.format}|${element.fallback ?? ""}`),
  ],
};

const STYLES = { code: "code", bold: "strong", italic: "em", strike: "del", underline: "u" };

function drawElement(element) {
  const draw = ELEMENTS[element.type];
  if (!draw) return [el("span", { class: "unknown", text: `[${element.type}]` })];
  return Object.entries(STYLES)
    .filter(([style]) => element.style?.[style])
    .reduce((nodes, [, tag]) => [el(tag, {}, ...nodes)], draw(element));
}

function broken(text) {
  return text
    .split("\n")
    .flatMap((piece, at) =>
      at ? [el("br"), document.createTextNode(piece)] : [document.createTextNode(piece)],
    );
}
