/** Block Kit's text objects to page nodes, and the words of a confirmation. */
import { el } from "./dom.js";
import { emoji } from "./emoji.js";
import { decode } from "./inline.js";
import { mrkdwn, mrkdwnLine } from "./mrkdwn.js";

/** Draw a text object: `plain_text` (emoji names become emoji) or `mrkdwn`. */
export function textObject(text, whole = false) {
  if (!text) return [];
  if (typeof text === "string") return plain(text, true);
  if (text.type === "mrkdwn") return whole ? mrkdwn(text.text) : mrkdwnLine(text.text);
  return plain(text.text ?? "", text.emoji !== false);
}

/** Draw plain text with its line breaks, and with emoji for their names where wanted. */
export function plain(text, withEmoji) {
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

/** Return the bare words of a text object: for names, titles and comparisons. */
export function wordsOf(text, otherwise = "") {
  return decode((typeof text === "string" ? text : text?.text) ?? otherwise);
}

/** Return what a `confirm` object asks, as `confirm` in dialogs.js takes it. */
export function confirmWords(object) {
  return {
    title: wordsOf(object.title, "Are you sure?"),
    text: wordsOf(object.text),
    yes: wordsOf(object.confirm, "Yes"),
    no: wordsOf(object.deny, "Cancel"),
    danger: object.style === "danger",
  };
}
