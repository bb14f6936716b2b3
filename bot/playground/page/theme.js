/** Light or dark: the system's choice until the reader makes one of their own. */

const KEY = "playground.theme";
const ORDER = ["system", "light", "dark"];
const WORDS = { system: "as the system", light: "light", dark: "dark" };

function chosen() {
  const theme = localStorage.getItem(KEY);
  return ORDER.includes(theme) ? theme : "system";
}

/** Apply the reader's theme to the page. */
export function applyTheme() {
  const theme = chosen();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Go to the next theme and return it in words. */
export function nextTheme() {
  const next = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  localStorage.setItem(KEY, next);
  applyTheme();
  return themeWords();
}

/** Return the theme in force in words. */
export function themeWords() {
  return `Theme: ${WORDS[chosen()]}`;
}
