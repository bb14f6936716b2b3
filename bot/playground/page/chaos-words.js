/** The words of the chaos tab: what each fault is called, what it can hit, how one is told. */

export const CALL_FAULTS = ["status", "error", "rate_limited", "lost", "timeout", "delay"];
export const EVENT_FAULTS = ["duplicate", "retry", "hold", "drop", "swap"];

export const KINDS = {
  status: "Answer with an HTTP error",
  error: "Refuse with an error",
  rate_limited: "Rate limit (429)",
  lost: "Do it and lose the answer",
  timeout: "Stay silent, then cut",
  delay: "Answer late",
  duplicate: "Deliver twice",
  retry: "Retry before the ack",
  hold: "Deliver late",
  drop: "Do not deliver at first",
  swap: "Deliver after the next one",
  refuse: "Refuse the connection",
};

export const FIELDS = [
  { name: "count", label: "Times (0: always)", type: "number", min: "0", step: "1", value: "1" },
  { name: "probability", label: "Chance", type: "number", min: "0", max: "1", step: "any", value: "1" },
  { name: "seconds", label: "Seconds", type: "number", min: "0", step: "any", value: "1" },
  { name: "status", label: "Status", type: "number", min: "400", max: "599", step: "1", value: "500" },
  { name: "error", label: "Error", type: "text", value: "internal_error" },
];

const METHODS = (
  "chat.postMessage chat.update chat.delete chat.postEphemeral chat.startStream chat.appendStream " +
  "chat.stopStream reactions.add reactions.remove assistant.threads.setStatus " +
  "agents.sessions.setStatus conversations.history conversations.replies conversations.info " +
  "users.info files.getUploadURLExternal files.completeUploadExternal views.open views.push " +
  "views.update views.publish apps.connections.open auth.test"
).split(" ");
const EVENTS = (
  "message app_mention reaction_added reaction_removed app_home_opened file_shared " +
  "agent_session_stopped member_joined_channel"
).split(" ");

/** Return what a kind of fault can hit: methods, event types, or the dial of a socket. */
export function targetsOf(kind) {
  if (kind === "refuse") return ["dial"];
  return ["*", ...(CALL_FAULTS.includes(kind) ? METHODS : EVENTS)];
}

/** Tell a fault in force in one line. */
export function sayFault({ kind, target, count, probability, seconds, error, status }) {
  const own = {
    error,
    status: `${status} ${error}`,
    rate_limited: `retry after ${seconds} s`,
    timeout: `${seconds} s`,
    delay: `${seconds} s`,
    hold: `${seconds} s`,
  };
  const times = count === 0 ? "always" : count === 1 ? "once" : `${count} times`;
  const chance = probability < 1 ? `, chance ${probability}` : "";
  const where = target === "*" ? "anything" : target;
  const words = [KINDS[kind] ?? kind, own[kind]].filter(Boolean).join(" ");
  return `${where}: ${words} · ${times}${chance}`;
}
