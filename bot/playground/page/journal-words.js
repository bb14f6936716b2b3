/** What one entry of the journal says in a line: what it is, about what, and how it went. */
import { personName } from "./names.js";

/** The groups one can filter by, with the kinds that belong to them. */
export const GROUPS = {
  Calls: ["call", "response_url", "webhook", "upload", "download"],
  Deliveries: ["delivery", "undelivered"],
  Acks: ["ack", "unacknowledged", "gave_up", "view_refused", "switched_off", "no_service"],
  Faults: ["fault", "dial"],
  People: ["act", "ping"],
  Lines: ["socket", "stream"],
};

/** Return the group a kind belongs to; what is not known is shown with the lines. */
export function groupOf(kind) {
  return Object.keys(GROUPS).find((name) => GROUPS[name].includes(kind)) ?? "Lines";
}

const BAD = [
  "unacknowledged",
  "gave_up",
  "undelivered",
  "fault",
  "view_refused",
  "switched_off",
  "no_service",
];
const WORDS = {
  call: (entry) => [entry.method, entry.ok ? "ok" : entry.error],
  delivery: (entry) => [entry.label, [entry.line, again(entry)].filter(Boolean).join(" · ")],
  ack: (entry) => [entry.label ?? entry.envelope_id, entry.known ? "in time" : "late or unknown"],
  unacknowledged: (entry) => [entry.label, "no answer in time"],
  undelivered: (entry) => [entry.label, "nobody is connected"],
  gave_up: (entry) => [entry.label, entry.attempt ? `after ${entry.attempt + 1} attempts` : "after one attempt"],
  fault: (entry) => [entry.target, entry.fault],
  dial: (entry) => ["connection", entry.ok ? "taken" : "refused"],
  ping: ({ by, names }) => ["notifies", `${personName(by)}: ${[names].flat().map(personName).join(", ")}`],
  act: (entry) => [entry.action, aboutAct(entry.args ?? {})],
  socket: (entry) => [`socket ${entry.line}`, entry.state],
  stream: (entry) => ["stream", entry.state],
};
const KIND_WORDS = {
  unacknowledged: "no ack",
  gave_up: "gave up",
  response_url: "response",
  view_refused: "bad view",
  switched_off: "off",
  no_service: "no service",
};

/** Tell an entry in words: `{kind, what, how, ms, isBad}`. */
export function wordsFor(entry) {
  const [what, how] = (WORDS[entry.kind] ?? plainly)(entry);
  return {
    kind: KIND_WORDS[entry.kind] ?? entry.kind,
    what: what ?? "",
    how: how ?? "",
    ms: Number.isFinite(entry.ms) ? `${entry.ms < 10 ? entry.ms.toFixed(1) : Math.round(entry.ms)} ms` : "",
    isBad: BAD.includes(entry.kind) || entry.ok === false || entry.known === false,
  };
}

function again({ attempt }) {
  return attempt ? `retry ${attempt}` : "";
}

function aboutAct({ user, text, name, action_id: action, command, callback_id: shortcut }) {
  const who = user ? personName(user) : "";
  const what = [command, action, shortcut, name, text].find((one) => typeof one === "string");
  return [who, what].filter(Boolean).join(": ");
}

function plainly(entry) {
  const { seq, at, t, kind, ok, error, ...rest } = entry;
  const words = Object.entries(rest)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => `${name} ${value}`);
  return [words.slice(0, 2).join(", "), error ?? (ok === false ? "refused" : "")];
}

/** Return what ties entries of one event or envelope together, or "" where nothing does. */
export function tieOf(entry) {
  return entry.event_id || entry.envelope_id || "";
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

/** Return when an entry happened, on the workspace's clock. */
export function timeOf(entry) {
  return CLOCK.format(new Date(entry.at * 1000));
}
