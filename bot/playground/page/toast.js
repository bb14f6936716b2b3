/** Short notes over the page: what Slack refused, and why. */
import { el, iconButton } from "./dom.js";

const SHOWN_MS = 6000;

/** Slack's error names that people meet, in words; the name itself is always shown too. */
const WORDS = {
  not_in_channel: "You are not in this channel.",
  channel_not_found: "There is no such channel for you.",
  is_archived: "This channel is archived.",
  cant_update_message: "You can only edit your own messages.",
  cant_delete_message: "You can only delete your own messages.",
  message_not_found: "That message is gone.",
  no_text: "A message needs some text.",
  msg_too_long: "That message is too long.",
  already_reacted: "You already reacted with this.",
  no_reaction: "That reaction is already gone.",
  too_many_reactions: "That message has as many reactions as Slack allows.",
  too_many_emoji: "That message has as many different emoji as Slack allows.",
  invalid_name: "Slack has no emoji of that name.",
  command_not_supported_in_threads: "Slack has no slash commands in threads.",
  session_not_processing: "Nothing is running here.",
  invalid_command: "That is not a command of this workspace.",
  user_is_restricted: "Guests may not do that.",
  restricted_action: "You may not do that here.",
  dispatch_failed: "The app did not answer in time.",
  hash_conflict: "The view has changed in the meantime.",
  view_not_found: "That view is no longer open.",
  not_found: "That is no longer there.",
  missing_required_input: "Something that is required is still empty.",
  invalid_action: "The app does not take that.",
  not_enabled: "This app has no Home.",
};

/** Show one line; it goes by itself, or when it is closed. */
export function toast(text) {
  const shelf = document.getElementById("toasts");
  const inFront = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (shelf.parentNode !== inFront) inFront.append(shelf);
  const node = el("div", { class: "toast" }, el("span", { text }));
  const close = () => node.remove();
  node.append(iconButton("close", "Close this note", close));
  shelf.append(node);
  while (shelf.childElementCount > 3) shelf.firstElementChild.remove();
  setTimeout(close, SHOWN_MS);
}

/** Bring the notes back to the page before a dialog that holds them goes. */
export function keepToasts(dialog) {
  const shelf = document.getElementById("toasts");
  if (dialog.contains(shelf)) document.body.append(shelf);
}

/** Show what went wrong with an action: Slack's error by its name, or that nobody answered. */
export function toastError(error) {
  if (!error.code) {
    toast(error.message);
    return;
  }
  toast(`${WORDS[error.code] ?? "Slack refused this."} (${error.code})`);
}

/** Run an action of a person and show its error, if any; returns its answer or null. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    toastError(error);
    return null;
  }
}
