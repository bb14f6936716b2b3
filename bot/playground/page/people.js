/** How a person or an app is drawn: avatar, name, the badge that tells their rights. */
import { el } from "./dom.js";
import { personName } from "./names.js";

const TINTS = 8;
const SVG = "http://www.w3.org/2000/svg";

/** Return how Slack labels this user: an app, a guest, a stranger from another workspace, or nothing. */
export function badgeOf(user) {
  if (user?.is_bot) return "app";
  if (user?.is_restricted || user?.is_ultra_restricted) return "guest";
  if (user?.is_stranger) return "external";
  return "";
}

/** Draw a badge, or nothing for a member. */
export function badge(user) {
  const words = badgeOf(user);
  return words ? el("span", { class: `badge badge-${words}`, text: words }) : null;
}

/** Draw an avatar: initials on a quiet tint that belongs to the id; apps carry the desk lamp. */
export function avatar(user, size = "") {
  const id = user?.id ?? "";
  const classes = `avatar ${size}`.trim();
  if (user?.is_bot && /deskmate/iu.test(user.name ?? "")) {
    return el("span", { class: `${classes} avatar-deskmate`, "aria-hidden": "true" }, lamp());
  }
  const letters = user?.is_bot ? personName(id).slice(0, 1) : initials(personName(id));
  // The letters are drawn by the style sheet: they are no text to read out or to copy.
  return el("span", {
    class: `${classes} tint-${tintOf(id)}`,
    "aria-hidden": "true",
    data: { letters: letters.toUpperCase() },
  });
}

function initials(name) {
  const words = name.split(/[\s._-]+/u).filter(Boolean);
  return words.length > 1 ? words[0][0] + words.at(-1)[0] : name.slice(0, 1);
}

function tintOf(id) {
  let sum = 7;
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return sum % TINTS;
}

/** Draw Deskmate's sign, a desk lamp over a desk. */
export function lamp() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  for (const [d, classes] of [
    ["M4 19.5h16", ""],
    ["M8 19.5 6.5 12 12 6.5", ""],
    ["m10.2 4.6 5.2 5.2 2.1-4.6a2 2 0 0 0-2.7-2.7z", "lit"],
  ]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", classes);
    svg.append(path);
  }
  return svg;
}
