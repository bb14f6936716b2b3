/**
 * What the page knows of the workspace, as the person acting sees it: people, channels, messages,
 * statuses. `apply` takes one change of the feed; listeners hear of all changes once per frame.
 */
import { coalesced } from "./dom.js";

/** Compare two ts values (`seconds.micros`, so text order is time order at equal length). */
export function compareTs(a, b) {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

/** The messages of one channel: all by ts, those of the channel's list, the replies of each root. */
class Timeline {
  constructor() {
    this.byTs = new Map();
    this.list = [];
    this.replies = new Map();
    /** Rises when the channel's list must be drawn again; a reply that grows does not touch it. */
    this.version = 0;
  }

  /** Add or replace one message; returns true when it is new. */
  put(message) {
    const before = this.byTs.get(message.ts);
    this.byTs.set(message.ts, message);
    if (!before || this.rowsOf(message).includes(this.list)) this.version += 1;
    for (const row of this.rowsOf(message)) insert(row, message, before);
    return !before;
  }

  remove(ts) {
    const message = this.byTs.get(ts);
    if (!message) return;
    this.byTs.delete(ts);
    this.version += 1;
    for (const row of this.rowsOf(message)) {
      const at = row.indexOf(message);
      if (at >= 0) row.splice(at, 1);
    }
  }

  rowsOf(message) {
    if (!isReply(message)) return [this.list];
    const root = message.thread_ts;
    if (!this.replies.has(root)) this.replies.set(root, []);
    const rows = [this.replies.get(root)];
    if (message.subtype === "thread_broadcast") rows.push(this.list);
    return rows;
  }
}

function insert(row, message, before) {
  const known = before ? row.indexOf(before) : -1;
  if (known >= 0) {
    row[known] = message;
    return;
  }
  let at = row.length;
  while (at > 0 && compareTs(row[at - 1].ts, message.ts) > 0) at -= 1;
  row.splice(at, 0, message);
}

/** Say whether a message lies inside a thread (its root does not). */
export function isReply(message) {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts;
}

export class Store {
  constructor() {
    this.me = "";
    this.team = {};
    this.model = "";
    this.seq = 0;
    this.users = new Map();
    this.names = 0;
    this.channels = new Map();
    this.commands = [];
    this.shortcuts = [];
    this.homes = new Map();
    this.modals = [];
    this.viewErrors = null;
    this.statuses = new Map();
    this.sessions = new Map();
    this.unread = new Map();
    this.timelines = new Map();
    this.listeners = [];
    this.arrivals = [];
    this.waiting = new Map();
    this.announce = coalesced(() => this.tell());
  }

  /** Call `listener(arrivals)` after changes; arrivals are the new messages since the last call. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  tell() {
    const arrivals = this.arrivals.splice(0);
    for (const listener of this.listeners) listener(arrivals);
  }

  /** Replace everything by a snapshot of the server. */
  load(state) {
    this.me = state.me.id;
    this.team = state.team;
    this.model = state.model;
    this.seq = state.seq;
    this.commands = state.commands;
    this.shortcuts = state.shortcuts ?? [];
    this.homes = new Map((state.homes ?? []).map((home) => [home.bot, home]));
    this.modals = state.modals ?? [];
    this.viewErrors = null;
    this.names += 1;
    this.users = new Map(state.users.map((user) => [user.id, user]));
    this.channels = new Map(state.channels.map((channel) => [channel.id, channel]));
    this.timelines = new Map();
    this.statuses = new Map();
    this.sessions = new Map();
    for (const [channel, messages] of Object.entries(state.messages)) {
      for (const message of messages) this.timeline(channel).put(message);
    }
    for (const change of state.statuses) CHANGES[change.type]?.(this, change);
    this.announce();
  }

  /** Take one change of the feed. */
  apply(change) {
    const take = CHANGES[change.type];
    if (!take) return;
    take(this, change);
    this.announce();
  }

  setStatus({ channel, thread_ts, user, text }) {
    this.statuses.set(`${channel}/${thread_ts}`, text ? { user, text } : null);
    this.timeline(channel).version += 1;
  }

  setSession({ channel, thread_ts, status, stoppable }) {
    this.sessions.set(`${channel}/${thread_ts}`, { status, stoppable });
  }

  timeline(channel) {
    if (!this.timelines.has(channel)) this.timelines.set(channel, new Timeline());
    return this.timelines.get(channel);
  }

  message(channel, ts) {
    return this.timelines.get(channel)?.byTs.get(ts);
  }

  /** Return the messages of a channel's list, oldest first. */
  listOf(channel) {
    return this.timeline(channel).list;
  }

  /** Return a value that differs whenever the channel's list would look different. */
  stampOf(channel) {
    return [channel, this.me, this.names, this.timeline(channel).version].join(" ");
  }

  /** Return the replies of a thread, oldest first, without its root. */
  repliesOf(channel, root) {
    return this.timeline(channel).replies.get(root) ?? [];
  }

  /** Return what the app says it is doing in a thread: `{user, text}`, or null. */
  statusOf(channel, root) {
    return this.statuses.get(`${channel}/${root}`) ?? null;
  }

  /** Say whether Slack would show its Stop button in a thread. */
  isStoppable(channel, root) {
    return Boolean(this.sessions.get(`${channel}/${root}`)?.stoppable);
  }

  /** Wait until a channel is known: an action's answer may overtake the feed. */
  whenKnown(channel) {
    if (this.channels.has(channel)) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(channel, resolve));
  }

  /** Return the shortcuts of one type: `global`, or `message` for those in a message's menu. */
  shortcutsOf(type) {
    return this.shortcuts.filter((shortcut) => shortcut.type === type);
  }

  /** Return the Home of an app by its bot user: `{app, bot, name, view}`, or undefined. */
  homeOf(user) {
    return this.homes.get(user);
  }

  /** Return the apps' users: who answers a mention. */
  apps() {
    return [...this.users.values()].filter((user) => user.is_bot);
  }

  markRead(channel) {
    this.unread.delete(channel);
  }
}

const CHANGES = {
  message(store, { channel, message }) {
    const isNew = store.timeline(channel).put(message);
    if (!isNew) return;
    store.arrivals.push({ channel, message });
    if (message.user !== store.me && !isReply(message)) {
      store.unread.set(channel, (store.unread.get(channel) ?? 0) + 1);
    }
  },
  message_deleted(store, { channel, ts }) {
    store.timeline(channel).remove(ts);
  },
  status: (store, change) => store.setStatus(change),
  session_status: (store, change) => store.setSession(change),
  channel(store, { channel }) {
    store.channels.set(channel.id, channel);
    store.waiting.get(channel.id)?.();
    store.waiting.delete(channel.id);
  },
  modal(store, { views }) {
    store.modals = views;
    store.viewErrors = null;
  },
  view_errors(store, { view, errors }) {
    store.viewErrors = { view, errors };
  },
  home(store, { app, view }) {
    for (const home of store.homes.values()) if (home.app === app) home.view = view;
  },
  user(store, { user }) {
    store.users.set(user.id, user);
    store.names += 1;
  },
};
