/**
 * What the person acting can do with messages and threads. Every refusal becomes a toast with
 * Slack's error; what succeeds comes back through the feed.
 */
import * as api from "./api.js";
import { confirm } from "./dialogs.js";
import { openPicker } from "./picker.js";
import { go } from "./route.js";
import { attempt, toastError } from "./toast.js";
import { parseCommand } from "./wording.js";

/** Build the actions over a store. */
export function actionsFor(store) {
  const toggleReaction = (channel, message, name) => {
    const mine = message.reactions
      ?.find((reaction) => reaction.name === name)
      ?.users.includes(store.me);
    return attempt(() => (mine ? api.unreact : api.react)(store.me, channel, message.ts, name));
  };
  return {
    toggleReaction,
    pickReaction: (channel, message, anchor) =>
      openPicker(anchor, (name) => attempt(() => api.react(store.me, channel, message.ts, name))),
    press: (channel, message, action) =>
      attempt(() => api.press(store.me, channel, message.ts, action)),
    openThread: (channel, root) => go(channel, root),
    choose: (view, action) => attempt(() => api.choose(store.me, view, action)),
    closeView: (view, all = false) => attempt(() => api.closeView(store.me, view, all)),
    submit: (view, values) => submit(store, view, values),
    openHome: (app) => attempt(() => api.openHome(store.me, app)),
    runShortcut: ({ callback_id }, channel, message) => {
      const place = message ? { channel, ts: message.ts } : {};
      return attempt(() => api.shortcut(store.me, callback_id, place));
    },
    stop: (channel, root) => attempt(() => api.stop(store.me, channel, root)),
    edit: (channel, message, text) => attempt(() => api.edit(store.me, channel, message.ts, text)),
    remove: (channel, message) => askToRemove(store, channel, message),
    send: (channel, thread, { text, files }) => send(store, { channel, thread, text, files }),
    join: (channel) => attempt(() => api.join(store.me, channel)),
    openDm: async (people) => {
      const answer = await attempt(() => api.openDm(store.me, people));
      if (!answer) return;
      await store.whenKnown(answer.channel);
      go(answer.channel);
    },
  };
}

/** Submit a modal; resolves to what is still empty in it, `{block_id: text}`, or null when refused. */
async function submit(store, view, values) {
  try {
    await api.submit(store.me, view, values);
    return {};
  } catch (error) {
    const empty = error.code === "missing_required_input" ? (error.answer.blocks ?? []) : [];
    if (!empty.length) {
      toastError(error);
      return null;
    }
    return Object.fromEntries(empty.map((id) => [id, "Fill this in first."]));
  }
}

async function askToRemove(store, channel, message) {
  const sure = await confirm({
    title: "Delete this message?",
    text: "It cannot be brought back.",
    yes: "Delete",
    danger: true,
  });
  if (sure) await attempt(() => api.remove(store.me, channel, message.ts));
}

/** Send what was written: files with the text as their comment, a slash command, or a message. */
async function send(store, { channel, thread, text, files }) {
  const command = files.length ? null : parseCommand(text);
  const answer = await attempt(() => {
    if (command) return api.command(store.me, channel, command.name, command.text, thread);
    if (files.length) return api.upload(store.me, channel, thread, { files, text });
    return api.post(store.me, channel, text, thread);
  });
  return answer ? { ts: answer.ts, isMessage: !command } : null;
}
