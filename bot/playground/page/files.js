/** Files of a message (pictures are shown, the rest can be downloaded) and files about to be sent. */
import { el, fill, icon, iconButton } from "./dom.js";
import { fileAddress } from "./api.js";

const UNITS = ["B", "KB", "MB", "GB"];

/** Return where a picture can be loaded if this playground keeps it, else null: no other host is asked. */
export function pictureSource(address, id) {
  const known = id ?? address.match(/\/files-pri\/[A-Z0-9]+-(F[A-Z0-9]+)\//u)?.[1];
  return known ? fileAddress(known) : null;
}

/** Draw the files of a message. */
export function drawFiles(files) {
  return files.map((file) => {
    if (!file.url_private || file.mode === "tombstone") return gone(file);
    const source = fileAddress(file.id);
    return file.mimetype?.startsWith("image/") ? pictureOf(file, source) : card(file, source);
  });
}

function gone(file) {
  return el(
    "span",
    { class: "file" },
    icon("file"),
    el("span", { class: "quiet", text: `${file.name ?? "A file"} is not available` }),
  );
}

function pictureOf(file, source) {
  const picture = el("img", { src: source, alt: file.title || file.name, loading: "lazy" });
  return el(
    "a",
    { class: "file-picture", href: source, download: file.name, title: `Download ${file.name}` },
    picture,
  );
}

function card(file, source) {
  const facts = [file.pretty_type || file.filetype, sizeWords(file.size)]
    .filter(Boolean)
    .join(" · ");
  const words = el(
    "span",
    { class: "file-words" },
    el("span", { class: "visually-hidden", text: "Download " }),
    el("strong", { text: file.title || file.name }),
    el("span", { class: "quiet", text: facts }),
  );
  return el(
    "a",
    {
      class: "file",
      href: source,
      download: file.name,
    },
    icon("file"),
    words,
    icon("download"),
  );
}

/** Say a size in bytes in words: `12 KB`. */
export function sizeWords(bytes) {
  if (!Number.isFinite(bytes)) return "";
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** The files a person has chosen and not sent yet, shown above the text field. */
export class Pending {
  constructor(onChange) {
    this.files = [];
    this.onChange = onChange;
    this.node = el("ul", { class: "pending", "aria-label": "Files to send", hidden: true });
  }

  add(files) {
    this.set([...this.files, ...files]);
  }

  set(files) {
    this.files = files;
    this.node.hidden = files.length === 0;
    fill(this.node, ...files.map((file) => this.chip(file)));
    this.onChange();
  }

  chip(file) {
    const remove = () => this.set(this.files.filter((other) => other !== file));
    return el(
      "li",
      {},
      icon("file"),
      el("span", { text: file.name }),
      el("span", { class: "quiet", text: sizeWords(file.size) }),
      iconButton("close", `Remove ${file.name}`, remove),
    );
  }
}
