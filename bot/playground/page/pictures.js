/** Pictures in blocks: shown when this playground keeps them, else a link with their words. */
import { el, icon, link } from "./dom.js";
import { pictureSource } from "./files.js";

/** Draw an image element or block; nothing is ever loaded from another host. */
export function pictureOf(part, classes) {
  const source = pictureSource(part.image_url ?? part.slack_file?.url ?? "", part.slack_file?.id);
  const alt = part.alt_text ?? "";
  if (!source) return link(part.image_url ?? "", icon("file"), alt || part.image_url || "image");
  return el("img", { src: source, alt, class: classes, loading: "lazy" });
}
