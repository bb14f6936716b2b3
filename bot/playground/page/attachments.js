/** Slack's older attachments and link previews: a bar, a title, some words, perhaps blocks. */
import { showBlocks } from "./blocks.js";
import { el, link } from "./dom.js";
import { Form } from "./form.js";
import { mrkdwn, mrkdwnLine } from "./mrkdwn.js";

/** Draw the attachments of a message; `how` as in `showBlocks`. */
export function drawAttachments(attachments, { press }) {
  return attachments.map((attachment) => {
    const blocks = el("div", { class: "blocks" });
    showBlocks(blocks, attachment.blocks ?? [], { press, form: new Form() });
    return el("div", { class: "attachment" }, ...words(attachment), blocks);
  });
}

function words(attachment) {
  const { author_name: author, title, title_link: address, text, footer } = attachment;
  const name = title && (address ? link(address, title) : title);
  const parts = [
    author && el("p", { class: "quiet", text: author }),
    name && el("p", {}, el("strong", {}, name)),
    text && el("div", { class: "text" }, ...mrkdwn(text)),
    ...fields(attachment.fields ?? []),
    footer && el("p", { class: "quiet", text: footer }),
  ].filter(Boolean);
  if (parts.length || attachment.blocks?.length) return parts;
  return [el("p", { text: attachment.fallback ?? "" })];
}

function fields(all) {
  return all.map(({ title, value }) =>
    el("p", {}, el("strong", { text: `${title ?? ""} ` }), ...mrkdwnLine(value ?? "")),
  );
}
