/**
 * Builds page elements. Text always becomes text nodes: nothing a person or a model wrote is ever
 * parsed as HTML, and only links with a known scheme become links.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Build one element: `class`, `text`, `on` (event -> listener) and `data` (name -> value) are
 * special, every other property is an attribute; null, undefined and false leave it out.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (SPECIAL[name]) SPECIAL[name](node, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(isThere));
  return node;
}

const SPECIAL = {
  class: (node, value) => (node.className = value),
  text: (node, value) => (node.textContent = value),
  data: (node, value) => Object.assign(node.dataset, value),
  on: (node, value) => {
    for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  },
};

/** Show `children` in `node` and nothing else. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter(isThere));
  return node;
}

const isThere = (child) => child !== null && child !== undefined;

const ICONS = {
  back: "M12.5 4.5 7 10l5.5 5.5",
  bolt: "M11 3 5 11.5h4.5L9 17l6-8.5h-4.5z",
  bell: "M10 3v1M5.5 13.5V9a4.5 4.5 0 0 1 9 0v4.5l1 1.5h-11zM8.5 17h3",
  check: "m4.5 10.5 3.5 3.5 7.5-8",
  chevron: "m6 8 4 4 4-4",
  clip: "M14.5 9.2 9.7 14a3.2 3.2 0 0 1-4.5-4.5l5.4-5.4a2.1 2.1 0 0 1 3 3l-5.3 5.3a1 1 0 0 1-1.5-1.5l4.6-4.5",
  close: "m5.5 5.5 9 9m0-9-9 9",
  copy: "M7.5 7.5h8v8h-8zM4.5 12.5v-8h8",
  down: "M10 4v11m-4.5-4.5L10 15l4.5-4.5",
  download: "M10 3.5v8.5m-3.5-3.5L10 12l3.5-3.5M4 16.5h12",
  file: "M11.5 3h-6v14h9V6zm0 0v3h3",
  home: "M4 9.5 10 4l6 5.5V16h-4v-4H8v4H4z",
  lock: "M5.5 9h9v7.5h-9zM7.5 9V6.5a2.5 2.5 0 0 1 5 0V9",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  pencil: "m12.5 4.5 3 3-8.5 8.5-3.7.7.7-3.7z",
  people:
    "M8 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3.5 16c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M13 5a2.3 2.3 0 0 1 0 4.3m1.2 3.2c1.5.5 2.3 1.8 2.3 3.5",
  plus: "M10 4.5v11M4.5 10h11",
  pulse: "M3 10.5h3l2-5.5 4 10 2-4.5h3",
  send: "M4 10h11.5m-5-5 5 5-5 5",
  smile: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.2 12c1.4 1.8 4.2 1.8 5.6 0M7.6 8v.6m4.8-.6v.6",
  stop: "M6 6h8v8H6z",
  theme: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm0-14v14",
  thread: "M4 4.5h12v9H9.5L6.5 16v-2.5H4zM7 7.8h6M7 10.3h4",
  trash: "M4.5 6h11M8 6V4h4v2m-6 0 .6 10.5h6.8L14 6",
};

/** Draw one icon of the page; it is decoration, the button around it carries the words. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Build a button that shows only an icon; `label` is its accessible name and its tooltip. */
export function iconButton(name, label, onClick, props = {}) {
  const classes = `icon-button ${props.class ?? ""}`.trim();
  return el(
    "button",
    {
      type: "button",
      title: label,
      "aria-label": label,
      ...props,
      class: classes,
      on: { click: onClick },
    },
    icon(name),
  );
}

/** Return the address if it is safe to follow (http, https, mailto), else null. */
export function safeUrl(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Build a link that cannot run script; an address that is not safe leaves only its words. */
export function link(address, ...children) {
  const href = safeUrl(address);
  if (!href) return el("span", { class: "dead-link", title: "Not a web address" }, ...children);
  return el("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
}

/** Call `work` once in the next frame however often it is asked for; hidden pages get no frames. */
export function coalesced(work) {
  let waiting = false;
  const run = () => {
    waiting = false;
    work();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.hidden) setTimeout(run, 200);
    else requestAnimationFrame(run);
  };
}
