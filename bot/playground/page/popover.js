/** Places a small box beside what opened it, closes it on Esc and on a press outside. */
import { el } from "./dom.js";

const GAP = 6;
let closeOpen = () => {};

/**
 * Show `node` beside `anchor` and return the function that closes it; only one is open at a time.
 * `onClose` is called once it is gone, however that happened; `start` begins it where the anchor
 * begins, else it ends where the anchor ends.
 */
export function place(node, anchor, { onClose = () => {}, start = false } = {}) {
  closeOpen();
  const close = (refocus = false) => {
    if (!node.isConnected) return;
    node.remove();
    anchor.removeAttribute("aria-expanded");
    document.removeEventListener("pointerdown", outside, true);
    window.removeEventListener("resize", moved);
    if (refocus && anchor.isConnected) anchor.focus();
    onClose();
  };
  const outside = (event) => {
    if (!node.contains(event.target) && !anchor.contains(event.target)) close();
  };
  // A phone's keyboard resizes the window: follow the anchor rather than close.
  const moved = () => position(node, anchor, start);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    // A dialog around it would close as well.
    event.preventDefault();
    close(true);
  });
  // What lies outside an open dialog cannot be reached.
  (anchor.closest("dialog") ?? document.body).append(node);
  document.addEventListener("pointerdown", outside, true);
  window.addEventListener("resize", moved);
  anchor.setAttribute("aria-expanded", "true");
  position(node, anchor, start);
  closeOpen = close;
  return close;
}

function position(node, anchor, start) {
  const at = anchor.getBoundingClientRect();
  const size = node.getBoundingClientRect();
  const below = at.bottom + GAP + size.height <= window.innerHeight;
  const top = below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - size.height);
  const wanted = start ? at.left : at.right - size.width;
  const left = Math.min(Math.max(GAP, wanted), window.innerWidth - size.width - GAP);
  node.style.top = `${Math.round(top)}px`;
  node.style.left = `${Math.round(left)}px`;
}

/** Open a menu of choices `{nodes, checked, choose, role}` beside `anchor`. */
export function openMenu(anchor, label, choices) {
  const node = el("div", { class: "popover menu", role: "menu", "aria-label": label });
  const items = choices.map((choice) =>
    el(
      "button",
      {
        type: "button",
        role: choice.role ?? "menuitemradio",
        "aria-checked": choice.role ? null : String(Boolean(choice.checked)),
        data: choice.data ?? {},
        on: {
          click: () => {
            close(true);
            choice.choose();
          },
        },
      },
      ...choice.nodes,
    ),
  );
  node.append(...items);
  node.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  });
  const close = place(node, anchor);
  (items.find((item) => item.getAttribute("aria-checked") === "true") ?? items[0])?.focus();
}
