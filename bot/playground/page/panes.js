/**
 * The two places where one reads and writes: the channel and, beside it, the thread.
 * Each shows a list, what the app says it is doing, and a composer; what they show is the store's.
 */
import { acceptDrops, Composer } from "./composer.js";
import { el, fill, icon } from "./dom.js";
import { MessageList } from "./list.js";
import { mrkdwnLine } from "./mrkdwn.js";
import { personName } from "./names.js";
import { channelTitle, isDirect, otherPerson } from "./channels.js";
import { address, go, here, HOME } from "./route.js";
import { Tools } from "./tools.js";
import { Home, homeTabs } from "./views.js";

const WIDE = window.matchMedia("(min-width: 1000px)");

/** What both panes share; `root` is the pane's landmark. */
class Pane {
  constructor(root, { store, act, label }) {
    this.root = root;
    this.store = store;
    this.act = act;
    this.head = el("header", { class: "pane-head" });
    this.scroller = el("div", { class: "scroller", tabindex: "-1" });
    this.status = el("div", { class: "status-line" });
    this.composer = new Composer({
      store,
      label,
      send: (written) => this.send(written),
      stop: () => act.stop(this.channel, this.thread),
      run: (shortcut) => act.runShortcut(shortcut),
      onUp: () => this.list.move(-1),
    });
    this.foot = el("div", { class: "pane-foot" }, this.status, this.composer.node);
    this.frame = el("div", { class: "scroller-frame" }, this.scroller);
    fill(root, this.head, this.frame, this.foot);
    this.list = new MessageList(this.scroller, {
      act,
      lookOf: (message) => this.lookOf(message),
      label,
    });
    this.tools = new Tools(this.list, { store, act });
    acceptDrops(root, this.composer);
    fill(this.list.before, skeleton());
  }

  /** Draw a part of the pane only when the source it is drawn from changed. */
  draw(part, source, children) {
    const key = JSON.stringify(source);
    if (part.drawnFrom === key) return;
    part.drawnFrom = key;
    fill(part, ...children());
  }

  /** Tell how a message looks here, apart from its own content. */
  lookOf(message) {
    const { me, names } = this.store;
    return { author: this.authorOf(message), me, names, thread: null };
  }

  authorOf(message) {
    return (
      this.store.users.get(message.user) ?? {
        id: message.user,
        name: message.username ?? message.user,
      }
    );
  }
}

/** Draw the lines that stand for messages until the first ones are here. */
function skeleton() {
  const lines = Array.from({ length: 6 }, () => el("i"));
  return el("div", { class: "skeleton", "aria-hidden": "true" }, ...lines);
}

/** Say what an app is doing as Slack shows it: its name, then its own words. */
function statusWords(status) {
  return status ? `${personName(status.user)} ${status.text}` : null;
}

export class ChannelPane extends Pane {
  constructor(root, how) {
    super(root, { ...how, label: "Messages of the channel" });
    this.list.inThread = false;
    this.home = new Home(how);
    this.head.after(this.home.node);
  }

  /** Show a channel; without one, skeleton lines. `isHome`: the Home of the app one talks to. */
  show(channelId, isHome) {
    this.channel = channelId;
    const channel = this.store.channels.get(channelId);
    if (!channel) return;
    const title = channelTitle(channel, this.store);
    const messages = this.store.listOf(channelId);
    const home = this.store.homeOf(otherPerson(channel, this.store)?.id);
    this.draw(this.head, [title, channel, Boolean(home), isHome], () =>
      this.headOf(channel, title, home && homeTabs(isHome, (to) => go(channelId, to ? HOME : ""))),
    );
    this.home.show(isHome ? home?.bot : undefined);
    this.frame.hidden = this.foot.hidden = Boolean(isHome && home);
    this.list.list.setAttribute("aria-label", `Messages in ${title}`);
    const stamp = this.store.stampOf(channelId);
    if (stamp !== this.stamp) this.list.show(channelId, channelId, messages);
    this.stamp = stamp;
    const quiet = messages.every((message) => message.subtype === "channel_join");
    this.draw(this.list.before, [channelId, title, quiet], () =>
      this.introduction(channel, title, quiet),
    );
    this.composer.moveTo(channelId, `Message ${title}`);
    const member = channel.members.includes(this.store.me);
    this.composer.node.hidden = !member;
    this.draw(this.status, [channelId, member], () =>
      member ? [] : this.outside(channelId, title),
    );
  }

  /** Offer the way in to somebody who only looks at a public channel. */
  outside(channelId, title) {
    const join = () => this.act.join(channelId);
    const button = el("button", {
      type: "button",
      class: "button button-primary",
      text: "Join",
      on: { click: join },
    });
    return [
      el(
        "p",
        { class: "outside" },
        el("span", { class: "quiet", text: `You are looking at ${title} from outside.` }),
        button,
      ),
    ];
  }

  headOf(channel, title, tabs) {
    const back = el(
      "a",
      { class: "icon-button back", href: address(), "aria-label": "Back to the channels" },
      icon("back"),
    );
    const count = channel.members.length;
    const facts = channel.topic || (count ? `${count} ${count === 1 ? "member" : "members"}` : "");
    const words = isDirect(channel) ? "" : facts;
    return [
      back,
      el("h2", { text: title }),
      words ? el("span", { class: "quiet pane-facts", text: words }) : null,
      tabs,
    ];
  }

  introduction(channel, title, quiet) {
    if (!quiet) return [];
    const bot = this.store.apps().find((app) => channel.members.includes(app.id));
    if (!bot || bot.id !== this.store.apps()[0].id) {
      const words = `Nothing has been said in ${title} yet.`;
      return [el("div", { class: "empty" }, el("p", { text: words }))];
    }
    const name = bot.real_name || bot.name;
    const example = isDirect(channel) ? "what can you do?" : `@${name} what can you do?`;
    const say = isDirect(channel)
      ? `This is between you and ${name}; each message starts a thread of its own.`
      : `Mention ${name} in ${title} and it answers in a thread.`;
    const ask = () => this.send({ text: example, files: [] });
    return [
      el(
        "div",
        { class: "empty" },
        el("p", { text: say }),
        el("button", {
          type: "button",
          class: "button example",
          text: example,
          on: { click: ask },
        }),
      ),
    ];
  }

  lookOf(message) {
    return { ...super.lookOf(message), thread: this.threadOf(message) };
  }

  /** Tell what stands under a message: the way into its thread, and what the app does there. */
  threadOf(message) {
    const { store, channel } = this;
    if (message.subtype === "thread_broadcast") {
      return { root: message.thread_ts, count: 0, people: [], broadcast: true };
    }
    const replies = store.repliesOf(channel, message.ts);
    const status = statusWords(store.statusOf(channel, message.ts));
    if (!replies.length && !status) return null;
    const who = [...new Set(replies.map((reply) => reply.user))].slice(0, 3);
    const people = who.map((id) => store.users.get(id) ?? { id });
    return { root: message.ts, count: replies.length, last: replies.at(-1)?.ts, people, status };
  }

  async send(written) {
    const channel = this.channel;
    const sent = await this.act.send(channel, undefined, written);
    if (!sent) return false;
    this.list.toBottom();
    if (sent.isMessage && sent.ts && this.calls(written.text) && WIDE.matches && !here().thread)
      go(channel, sent.ts);
    return true;
  }

  /** Say whether these words call an app, whose answer will come in the thread. */
  calls(text) {
    if (otherPerson(this.store.channels.get(this.channel), this.store)?.is_bot) return true;
    return this.store
      .apps()
      .some((app) => text.toLowerCase().includes(`@${(app.real_name || app.name).toLowerCase()}`));
  }
}

export class ThreadPane extends Pane {
  constructor(root, how) {
    super(root, { ...how, label: "Messages of the thread" });
    this.list.inThread = true;
  }

  /** Show a thread, or hide the pane when there is none. */
  show(channelId, thread) {
    this.root.hidden = !thread;
    this.channel = channelId;
    this.thread = thread;
    const channel = this.store.channels.get(channelId);
    if (!thread || !channel) return;
    const title = channelTitle(channel, this.store);
    const root = this.store.message(channelId, thread);
    const replies = this.store.repliesOf(channelId, thread);
    this.draw(this.head, [channelId, title], () => this.headOf(channelId, title));
    fill(this.list.before);
    this.list.show(`${channelId}/${thread}`, channelId, root ? [root, ...replies] : replies);
    this.list.list.classList.toggle("has-replies", Boolean(root) && replies.length > 0);
    this.showStatus(statusWords(this.store.statusOf(channelId, thread)));
    this.composer.setStop(this.store.isStoppable(channelId, thread));
    this.composer.moveTo(`${channelId}/${thread}`, "Reply in this thread");
  }

  headOf(channelId, title) {
    const back = el(
      "a",
      { class: "icon-button back", href: address(channelId), "aria-label": `Back to ${title}` },
      icon("back"),
    );
    const close = el(
      "a",
      {
        class: "icon-button close",
        href: address(channelId),
        "aria-label": "Close the thread",
        title: "Close the thread",
      },
      icon("close"),
    );
    return [
      back,
      el("h2", { text: "Thread" }),
      el("span", { class: "quiet pane-facts", text: title }),
      close,
    ];
  }

  showStatus(text) {
    this.draw(this.status, text, () =>
      text ? [el("p", { class: "status" }, el("span", {}, ...mrkdwnLine(text)))] : [],
    );
  }

  async send(written) {
    const sent = await this.act.send(this.channel, this.thread, written);
    if (sent) this.list.toBottom();
    return Boolean(sent);
  }
}
