/**
 * Text inside one line or paragraph to nodes, in two dialects: Markdown and Slack's mrkdwn.
 * Emphasis follows CommonMark's delimiter runs (with the rule that lets it stand beside CJK);
 * links, mentions, emoji and entities are Slack's. Never touches innerHTML.
 */
import { el, link } from "./dom.js";
import { emoji, glyphOf } from "./emoji.js";
import { slackToken } from "./names.js";

export const MARKDOWN = { escapes: true, links: true, strict: false };
export const MRKDWN = { escapes: false, links: false, strict: true };

const SPACE = /\s/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF00-\uFFEF]/u;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00A0" };
const BARE_URL = /^https?:\/\/[^\s<>"'`|\\]+/iu;
/** How far a closing mark and its opener look for each other: keeps hostile input linear. */
const REACH = 1000;

/**
 * Turn text into nodes. `open` says that the text is still being written: bold and code that have
 * begun are then drawn as if they were already closed, so that nothing flickers.
 */
export function inline(text, dialect = MARKDOWN, open = false) {
  const scan = { text, at: 0, items: [], dialect, open };
  while (scan.at < text.length) readNext(scan);
  return joinItems(emphasise(scan.items, dialect, open));
}

const READERS = {
  "\\": readEscape,
  "`": readCode,
  "<": readToken,
  "!": readImage,
  "[": readLink,
  "&": readEntity,
  ":": readEmoji,
  "*": readRun,
  _: readRun,
  "~": readRun,
  "\n": readBreak,
  h: readUrl,
  H: readUrl,
};

function readNext(scan) {
  const reader = READERS[scan.text[scan.at]];
  if (reader?.(scan)) return;
  addText(scan, scan.text[scan.at]);
  scan.at += 1;
}

function addText(scan, text) {
  const last = scan.items.at(-1);
  if (last && last.text !== undefined && !last.mark) last.text += text;
  else scan.items.push({ text });
}

function addNode(scan, node, length) {
  scan.items.push({ node });
  scan.at += length;
  return true;
}

function readEscape(scan) {
  const next = scan.text[scan.at + 1];
  if (!scan.dialect.escapes || !next || !/[!-/:-@[-`{-~]/u.test(next)) return false;
  addText(scan, next);
  scan.at += 2;
  return true;
}

function readCode(scan) {
  const ticks = scan.text.slice(scan.at).match(/^`+/u)[0];
  const from = scan.at + ticks.length;
  const rest = scan.text.slice(from);
  const end = closingTicks(rest, ticks.length);
  if (end < 0) {
    const dangling = scan.open && ticks.length === 1 && rest && !rest.includes("`");
    if (dangling) return addNode(scan, el("code", { text: rest }), 1 + rest.length);
    addText(scan, ticks);
    scan.at = from;
    return true;
  }
  const inside = rest.slice(0, end).replaceAll("\n", " ");
  const trimmed = /^ .*[^ ].* $/u.test(inside) ? inside.slice(1, -1) : inside;
  const code = scan.dialect.strict ? decode(trimmed) : trimmed;
  return addNode(scan, el("code", { text: code }), ticks.length * 2 + end);
}

function closingTicks(text, count) {
  for (const run of text.matchAll(/`+/gu)) if (run[0].length === count) return run.index;
  return -1;
}

function readToken(scan) {
  const end = scan.text.indexOf(">", scan.at);
  if (end < 0 || end - scan.at > 3000) return false;
  const inside = scan.text.slice(scan.at + 1, end);
  if (inside.includes("\n") || inside.includes("<")) return false;
  const node = slackToken(decode(inside));
  return node ? addNode(scan, node, inside.length + 2) : false;
}

function readImage(scan) {
  if (!scan.dialect.links || scan.text[scan.at + 1] !== "[") return false;
  const found = linkAt(scan.text, scan.at + 1);
  if (!found) return false;
  return addNode(scan, link(found.address, found.label || found.address), 1 + found.length);
}

function readLink(scan) {
  const found = scan.dialect.links && linkAt(scan.text, scan.at);
  if (!found) return false;
  const label = inline(found.label, { ...scan.dialect, links: false });
  for (const node of label) if (node.nodeName === "A") node.replaceWith(...node.childNodes);
  return addNode(scan, link(found.address, ...label.map(unlinked)), found.length);
}

function unlinked(node) {
  return node.nodeName === "A" ? node.textContent : node;
}

/** Read `[label](address "title")` at a place; null when it is not a whole link. */
function linkAt(text, at) {
  const close = closingBracket(text, at);
  if (close < 0 || text[close + 1] !== "(") return null;
  const target = text
    .slice(close + 1, close + 3000)
    .match(
      /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/u,
    );
  if (!target) return null;
  const address = decode((target[1] ?? target[2]).replace(/\\([!-/:-@[-`{-~])/gu, "$1"));
  return { label: text.slice(at + 1, close), address, length: close + 1 - at + target[0].length };
}

function closingBracket(text, at) {
  let depth = 0;
  const limit = Math.min(text.length, at + REACH);
  for (let place = at; place < limit; place += 1) {
    if (text[place] === "\\") place += 1;
    else if (text[place] === "[") depth += 1;
    else if (text[place] === "]" && (depth -= 1) === 0) return place;
  }
  return -1;
}

function readEntity(scan) {
  const entity = scan.text.slice(scan.at, scan.at + 12).match(/^&(#\d+|#x[\da-f]+|\w+);/iu);
  if (!entity) return false;
  const text = decode(entity[0]);
  if (text === entity[0]) return false;
  addText(scan, text);
  scan.at += entity[0].length;
  return true;
}

/** Decode the entities Slack and Markdown use; any other stays as it was written. */
export function decode(text) {
  return text.replace(/&(#\d+|#x[\da-f]+|\w+);/giu, (whole, name) => {
    if (name[0] !== "#") return ENTITIES[name] ?? whole;
    const code =
      name[1].toLowerCase() === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}

function readEmoji(scan) {
  const name = scan.text
    .slice(scan.at, scan.at + 60)
    .match(/^:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):/u);
  if (!name || !glyphOf(name[1])) return false;
  return addNode(scan, emoji(name[1]), name[0].length);
}

function readBreak(scan) {
  const last = scan.items.at(-1);
  if (last?.text && !last.mark) last.text = last.text.replace(/[ \\]+$/u, "");
  return addNode(scan, el("br"), 1);
}

function readUrl(scan) {
  if (/\w/u.test(scan.text[scan.at - 1] ?? "")) return false;
  const found = scan.text.slice(scan.at, scan.at + 3000).match(BARE_URL);
  if (!found) return false;
  let address = found[0].replace(/[.,:;!?*_~]+$/u, "");
  while (address.endsWith(")") && address.split(")").length > address.split("(").length) {
    address = address.slice(0, -1);
  }
  return addNode(scan, link(decode(address), decode(address)), address.length);
}

function readRun(scan) {
  const mark = scan.text[scan.at];
  let count = 1;
  while (scan.text[scan.at + count] === mark) count += 1;
  const before = scan.text.slice(0, scan.at).slice(-2).match(/.$/su)?.[0] ?? " ";
  const after = scan.text.slice(scan.at + count, scan.at + count + 2).match(/^./su)?.[0] ?? " ";
  scan.items.push({
    text: mark.repeat(count),
    mark,
    count,
    ...flanks(mark, before, after, scan.dialect),
  });
  scan.at += count;
  return true;
}

/** Decide by its neighbours whether a run may open and may close (CommonMark 6.2). */
function flanks(mark, before, after, dialect) {
  const wordy = dialect.strict || mark === "_";
  const left = leans(after, before, wordy);
  const right = leans(before, after, wordy);
  if (!wordy) return { opens: left, closes: right };
  return {
    opens: left && (!right || PUNCTUATION.test(before)),
    closes: right && (!left || PUNCTUATION.test(after)),
  };
}

/** Say whether a run leans on `near`; CJK counts as a border, for it has no spaces between words. */
function leans(near, far, wordy) {
  if (SPACE.test(near)) return false;
  if (!PUNCTUATION.test(near)) return true;
  return SPACE.test(far) || PUNCTUATION.test(far) || (!wordy && CJK.test(far));
}

function emphasise(items, dialect, open) {
  let at = 0;
  while (at < items.length) {
    const opener = items[at].closes ? findOpener(items, at, dialect) : -1;
    if (opener < 0) at += 1;
    else at = wrap(items, opener, at, dialect);
  }
  if (open) closeDangling(items);
  return items;
}

function findOpener(items, at, dialect) {
  const closer = items[at];
  for (let place = at - 1; place >= Math.max(0, at - REACH); place -= 1) {
    const item = items[place];
    if (item.mark === closer.mark && item.opens && fits(item, closer, dialect)) return place;
  }
  return -1;
}

function fits(opener, closer, dialect) {
  if (dialect.strict) return opener.count === 1 && closer.count === 1;
  if (opener.mark === "~") return opener.count === closer.count;
  const both = opener.closes || closer.opens;
  const total = opener.count + closer.count;
  return !(both && total % 3 === 0 && (opener.count % 3 !== 0 || closer.count % 3 !== 0));
}

/** Wrap what stands between two runs and return where to go on reading. */
function wrap(items, from, to, dialect) {
  const [opener, closer] = [items[from], items[to]];
  const used =
    dialect.strict || opener.mark === "~" ? opener.count : Math.min(2, opener.count, closer.count);
  const inner = joinItems(items.slice(from + 1, to));
  if (inner.length === 0) {
    items[to].closes = false;
    return to;
  }
  for (const run of [opener, closer]) {
    run.count -= used;
    run.text = run.text.slice(used);
  }
  const node = { node: el(tagOf(opener.mark, used, dialect), {}, ...inner) };
  const kept = [opener, node, closer].filter((item) => item.node || item.count > 0);
  items.splice(from, to - from + 1, ...kept);
  return from + kept.length - (closer.count > 0 ? 1 : 0);
}

function tagOf(mark, count, dialect) {
  if (mark === "~") return "del";
  if (dialect.strict) return mark === "*" ? "strong" : "em";
  return count === 2 ? "strong" : "em";
}

function closeDangling(items) {
  const last = items.at(-1);
  if (last?.mark && !last.closes) items.pop();
  const at = items.findIndex((item) => item.mark === "*" && item.count >= 2 && item.opens);
  if (at < 0 || at === items.length - 1) return;
  const inner = joinItems(items.splice(at).slice(1));
  items.push({ node: el("strong", {}, ...inner) });
}

function joinItems(items) {
  return items.map((item) => item.node ?? document.createTextNode(item.text));
}
