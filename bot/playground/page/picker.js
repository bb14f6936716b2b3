/**
 * The emoji picker: a small dialog beside the button that opened it, with a search field, the
 * common emoji by shelf, and the reader's skin tone. Arrow keys move, Enter takes, Esc closes.
 */
import { el, fill } from "./dom.js";
import { emoji, findNames, shelves, takesTone } from "./emoji.js";
import { place } from "./popover.js";

const COARSE = window.matchMedia("(pointer: coarse)");
const TONE_KEY = "playground.tone";
const TONE_NAMES = ["default", "light", "medium light", "medium", "medium dark", "dark"];

/** Open the picker beside `anchor`; `choose(name)` is called once when an emoji is taken. */
export function openPicker(anchor, choose) {
  const search = el("input", {
    type: "search",
    placeholder: "Find an emoji",
    "aria-label": "Find an emoji",
    autocomplete: "off",
  });
  const grid = el("div", { class: "picker-grid", tabindex: "-1" });
  const tones = el("div", { class: "picker-tones", role: "radiogroup", "aria-label": "Skin tone" });
  const node = el(
    "div",
    { class: "popover picker", role: "dialog", "aria-label": "Pick a reaction" },
    search,
    grid,
    tones,
  );
  const take = (name) => {
    close();
    choose(name);
  };
  const refresh = () => {
    drawGrid(grid, search.value, take);
    drawTones(tones, refresh);
  };
  const close = place(node, anchor);
  search.addEventListener("input", () => drawGrid(grid, search.value, take));
  node.addEventListener("keydown", (event) => moveInside(event, search, grid));
  refresh();
  // On a touch screen the keyboard would cover what is to be picked.
  if (COARSE.matches) grid.focus();
  else search.focus();
}

function tone() {
  return Number(localStorage.getItem(TONE_KEY) ?? 1);
}

function toned(name) {
  return tone() > 1 && takesTone(name) ? `${name}::skin-tone-${tone()}` : name;
}

function drawGrid(grid, query, take) {
  const groups = query.trim() ? [{ title: "Found", names: findNames(query) }] : shelves;
  const sections = groups.map(({ title, names }) => {
    const cells = names.map((name) => cell(toned(name), take));
    return el(
      "section",
      { "aria-label": title },
      el("h3", { text: title }),
      el("div", { class: "picker-cells" }, ...cells),
    );
  });
  if (groups[0].names.length === 0)
    fill(grid, el("p", { class: "quiet", text: "No emoji of that name here." }));
  else fill(grid, ...sections);
}

function cell(name, take) {
  const label = name.replaceAll("_", " ").replace("::", ", ");
  return el(
    "button",
    {
      type: "button",
      class: "picker-cell",
      title: `:${name}:`,
      "aria-label": label,
      data: { emoji: name },
      on: { click: () => take(name) },
    },
    emoji(name),
  );
}

function drawTones(node, refresh) {
  const choices = TONE_NAMES.map((words, at) => {
    const set = () => {
      localStorage.setItem(TONE_KEY, String(at + 1));
      refresh();
      node.children[at].focus();
    };
    const name = at ? `hand::skin-tone-${at + 1}` : "hand";
    return el(
      "button",
      {
        type: "button",
        role: "radio",
        class: "picker-tone",
        "aria-label": words,
        title: words,
        "aria-checked": String(tone() === at + 1),
        on: { click: set },
      },
      emoji(name),
    );
  });
  fill(node, ...choices);
}

function moveInside(event, search, grid) {
  const cells = [...grid.querySelectorAll(".picker-cell")];
  const at = cells.indexOf(document.activeElement);
  if (event.key === "Enter" && event.target === search) {
    event.preventDefault();
    cells[0]?.click();
    return;
  }
  const next = nextCell(cells, at, event.key);
  if (next === undefined || (event.target === search && event.key !== "ArrowDown")) return;
  event.preventDefault();
  (cells[next] ?? search).focus();
}

function nextCell(cells, at, key) {
  const columns = cells.filter((one) => one.offsetTop === cells[0].offsetTop).length;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: at < 0 ? 1 : columns, ArrowUp: -columns }[
    key
  ];
  return step === undefined ? undefined : at + step;
}
