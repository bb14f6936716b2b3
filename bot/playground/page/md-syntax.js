/** The lines Markdown blocks begin with: patterns and questions that the block readers share. */

export const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/u;
export const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/u;
export const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
export const QUOTE = /^ {0,3}>[ \t]?/u;
export const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/u;
export const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/u;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/u;

/** Say whether a line can only be the beginning of a block of its own. */
export function opensBlock(line) {
  return [HEADING, FENCE, QUOTE, RULE].some((pattern) => pattern.test(line));
}

/** Say whether a table begins here: a row with bars over a line of dashes. */
export function opensTable(lines, at) {
  const rule = lines[at + 1] ?? "";
  return lines[at].includes("|") && rule.includes("-") && TABLE_RULE.test(rule);
}

/** Say whether the line at a place ends the paragraph before it. */
export function endsParagraph(lines, at) {
  if (opensBlock(lines[at]) || opensTable(lines, at)) return true;
  const item = lines[at].match(ITEM);
  // As in CommonMark, only a bullet or a 1 with words behind it may interrupt a sentence.
  return Boolean(item?.[4]) && /^([-*+]|1[.)])$/u.test(item[2]);
}

/** Return how wide white space is, a tab being four. */
export function widthOf(text) {
  return text.replaceAll("\t", "    ").length;
}

/** Return how far a line is indented. */
export function indentOf(line) {
  return widthOf(line.match(/^[ \t]*/u)[0]);
}
