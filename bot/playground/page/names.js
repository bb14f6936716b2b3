/**
 * What ids are called: people, channels and date tokens inside a text, drawn as Slack draws them.
 * Reads the store that `use` was given; owns no state of its own.
 */
import { el, link } from "./dom.js";

let store = null;

/** Give the store whose people and channels the names come from. */
export function use(theStore) {
  store = theStore;
}

/** Return the store the names come from: who and what there is to choose. */
export function workspace() {
  return store;
}

/** Return the name people see for a user id (the id itself when nobody knows it). */
export function personName(id) {
  const user = store?.users.get(id);
  return user?.profile.display_name || user?.real_name || id;
}

/** Draw `<@U...>`; a mention of the person acting stands out. */
export function personMention(id) {
  const classes = id === store?.me ? "mention mention-me" : "mention";
  return el("span", { class: classes, text: `@${personName(id)}` });
}

/** Draw `<#C...>` as a way there, or as plain words when the person cannot see that channel. */
export function channelMention(id, label) {
  const channel = store?.channels.get(id);
  const name = `#${channel?.name ?? (label || "private-channel")}`;
  if (!channel) return el("span", { class: "mention", text: name });
  return el("a", { class: "mention", href: `#/${id}`, text: name });
}

/** Draw `<!here>`, `<!channel>`, `<!everyone>`: loud on purpose, so that a leak is seen. */
export function broadcastMention(name) {
  return el("span", { class: "mention mention-me", text: `@${name}` });
}

const TOKENS = [
  [/^@([UWB][A-Z0-9]+)$/u, (id) => personMention(id)],
  [/^#([CGD][A-Z0-9]+)$/u, (id, label) => channelMention(id, label)],
  [/^!(here|channel|everyone)$/u, (name) => broadcastMention(name)],
  [/^!subteam\^(\w+)$/u, (id, label) => el("span", { class: "mention", text: label || `@${id}` })],
  [/^!date\^(.+)$/u, (date, label) => dateToken(date, label)],
  [
    /^((?:https?:\/\/|mailto:)[^\s<>]+)$/iu,
    (address, label) => link(address, label || address.replace(/^mailto:/iu, "")),
  ],
];

/** Draw the inside of one `<...>` token of Slack's, or return null when it is none. */
export function slackToken(inside) {
  const [target, label] = splitOnce(inside, "|");
  for (const [pattern, draw] of TOKENS) {
    const found = target.match(pattern);
    if (found) return draw(found[1], label);
  }
  return null;
}

function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

const DATE_STYLES = {
  date_num: { year: "numeric", month: "2-digit", day: "2-digit" },
  date: { year: "numeric", month: "long", day: "numeric" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  time_secs: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
};

function dateToken(target, fallback) {
  const [seconds, format = "", address] = target.split("^");
  const when = new Date(Number(seconds) * 1000);
  if (Number.isNaN(when.getTime())) return el("span", { text: fallback });
  const text = format.replace(/\{(\w+?)(?:_pretty)?\}/gu, (whole, name) => {
    const style = DATE_STYLES[name];
    return style ? new Intl.DateTimeFormat(undefined, style).format(when) : whole;
  });
  const node = el("time", { datetime: when.toISOString(), title: when.toLocaleString(), text });
  return address ? link(address, node) : node;
}

/** Return the moment of a message's ts. */
export function momentOf(ts) {
  return new Date(Number(ts) * 1000);
}

/** Return hours and minutes of a ts in the reader's zone. */
export function clockOf(ts) {
  return new Intl.DateTimeFormat(undefined, DATE_STYLES.time).format(momentOf(ts));
}

/** Return how a day is called: Today, Yesterday, or its date. */
export function dayOf(ts, now = new Date()) {
  const day = momentOf(ts);
  const days = Math.round((startOfDay(now) - startOfDay(day)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return new Intl.DateTimeFormat(undefined, {
    weekday: "long",
    month: "long",
    day: "numeric",
  }).format(day);
}

function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
