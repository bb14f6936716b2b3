/**
 * Slack's own markup (`*bold*`, `<https://...|label>`, `> quote`) to page nodes. Used for messages
 * people type, for `text` objects of blocks and for everything that is not Markdown.
 */
import { el } from "./dom.js";
import { decode, inline, MRKDWN } from "./inline.js";

const PRE = /```\n?([\s\S]*?)\n?```/gu;
const QUOTE = /^(?:>|&gt;) ?/u;

/** Turn mrkdwn into nodes. */
export function mrkdwn(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(PRE)) {
    if (!found[1].trim()) continue;
    nodes.push(...lines(text.slice(from, found.index).replace(/\n$/u, "")));
    nodes.push(el("pre", { tabindex: "0" }, el("code", { text: decode(found[1]) })));
    from = found.index + found[0].length;
    if (text[from] === "\n") from += 1;
  }
  nodes.push(...lines(text.slice(from)));
  return nodes;
}

/** Turn one short line (a status, a label) into nodes without blocks. */
export function mrkdwnLine(text) {
  return inline(text, MRKDWN);
}

function lines(text) {
  if (!text) return [];
  const nodes = [];
  let plain = [];
  let quoted = [];
  const flush = () => {
    if (plain.length) nodes.push(...paragraph(plain.join("\n")));
    if (quoted.length) nodes.push(el("blockquote", {}, ...inline(quoted.join("\n"), MRKDWN)));
    plain = [];
    quoted = [];
  };
  for (const line of text.split("\n")) {
    const quote = QUOTE.test(line);
    if (quote ? plain.length : quoted.length) flush();
    if (quote) quoted.push(line.replace(QUOTE, ""));
    else plain.push(line);
  }
  flush();
  return nodes;
}

function paragraph(text) {
  if (!text.trim()) return [];
  return [el("p", {}, ...inline(text.replace(/^\n|\n$/gu, ""), MRKDWN))];
}
