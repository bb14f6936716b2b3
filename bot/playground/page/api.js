/**
 * The wire: every request this page makes. Reads the control token that the server put in the page;
 * throws `ActionError` with Slack's error name when an action is refused.
 */

const ROOT = "/_playground/";
const token = document.querySelector('meta[name="control-token"]')?.content ?? "";

/**
 * An action that was refused (`code` is Slack's error name, `answer` all that was said) or that
 * nobody answered (no code).
 */
export class ActionError extends Error {
  constructor(message, code = "", answer = {}) {
    super(message);
    this.code = code;
    this.answer = answer;
  }
}

async function request(path, options = {}) {
  const headers = { Authorization: `Bearer ${token}`, ...options.headers };
  try {
    return await fetch(ROOT + path, { ...options, headers });
  } catch {
    throw new ActionError("The playground is not answering. Is it still running?");
  }
}

async function answerOf(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok && answer.ok !== false) return answer;
  if (answer.error) throw new ActionError(answer.error, answer.error, answer);
  throw new ActionError(`The playground answered with status ${response.status}.`);
}

async function act(action, body) {
  const headers = { "Content-Type": "application/json" };
  return answerOf(await request(action, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** Load everything the person may see. */
export async function loadState(person) {
  const query = person ? `?${new URLSearchParams({ as: person })}` : "";
  return answerOf(await request(`state${query}`));
}

/** Open the stream of changes after `seq`; the caller reads the body and closes by the signal. */
export async function openEvents(person, seq, signal) {
  const query = new URLSearchParams({ as: person, after: String(seq) });
  const response = await request(`events?${query}`, {
    signal,
    headers: { Accept: "text/event-stream" },
  });
  if (!response.ok) throw new ActionError("The feed was refused.", `status_${response.status}`);
  return response;
}

export const post = (user, channel, text, thread_ts) =>
  act("post", { user, channel, text, thread_ts });
export const edit = (user, channel, ts, text) => act("edit", { user, channel, ts, text });
export const remove = (user, channel, ts) => act("delete", { user, channel, ts });
export const react = (user, channel, ts, name) => act("react", { user, channel, ts, name });
export const unreact = (user, channel, ts, name) => act("unreact", { user, channel, ts, name });
export const press = (user, channel, ts, action) => act("click", { user, channel, ts, ...action });
export const command = (user, channel, name, text, thread_ts) =>
  act("command", { user, channel, command: name, text, thread_ts });
export const stop = (user, channel, thread_ts) => act("stop", { user, channel, thread_ts });
export const join = (user, channel) => act("join", { user, channel });
export const choose = (user, view, action) => act("select", { user, view, ...action });
export const submit = (user, view, values) => act("submit", { user, view, values });
export const closeView = (user, view, all) => act("close_view", { user, view, all });
export const openHome = (user, app) => act("open_home", { user, app });
export const shortcut = (user, callback_id, place = {}) =>
  act("shortcut", { user, callback_id, ...place });
export const openDm = (user, users) => act("open_dm", { user, users });

/** Post files with an optional comment. */
export async function upload(user, channel, thread_ts, { files, text }) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ user, channel, thread_ts, text })) {
    if (value) form.append(name, value);
  }
  files.forEach((file, at) => form.append(`file${at}`, file, file.name));
  return answerOf(await request("upload", { method: "POST", body: form }));
}

/** Return where this page can load a file of the playground by its id; needs no other sign-in. */
export function fileAddress(id) {
  return `${ROOT}files/${encodeURIComponent(id)}?token=${encodeURIComponent(token)}`;
}

/** Read the journal's entries after `since`, oldest first. */
export async function journalSince(since) {
  const response = await request(`journal?${new URLSearchParams({ since: String(since) })}`);
  if (!response.ok) throw new ActionError("The journal was refused.");
  const lines = (await response.text()).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** Turn a knob of the playground (`faults`, `clock`, `sockets`) and return how it stands. */
export const turn = (knob, fields = {}) => act(knob, fields);
