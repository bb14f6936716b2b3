/**
 * A message's text back to what a person would type (for editing), and what is a slash command.
 * The other way, names to ids and `<` to entities, is the workspace's own work.
 */
import { decode } from "./inline.js";
import { personName } from "./names.js";

/** Turn a message's text back into what a person would have typed. */
export function decodeForEdit(text, store) {
  return decode(
    text
      .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/gu, (_, id) => `@${personName(id)}`)
      .replace(
        /<#([A-Z0-9]+)(?:\|([^>]*))?>/gu,
        (_, id, label) => `#${store.channels.get(id)?.name ?? label ?? id}`,
      )
      .replace(/<!(here|channel|everyone)>/gu, "@$1")
      .replace(/<((?:https?|mailto):[^|>]+)(?:\|[^>]*)?>/gu, "$1"),
  );
}

/** Split a slash command into its name and the rest; null when the text is an ordinary message. */
export function parseCommand(text) {
  const found = text.match(/^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/iu);
  return found ? { name: `/${found[1]}`, text: (found[2] ?? "").trim() } : null;
}
