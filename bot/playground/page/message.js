/**
 * One message as a row: who, when, what, files, reactions, the way into its thread.
 * `update` draws only the parts whose source changed, so a streamed answer touches its text alone.
 */
import { drawAttachments } from "./attachments.js";
import { showBlocks } from "./blocks.js";
import { el, fill, icon, iconButton } from "./dom.js";
import { emoji } from "./emoji.js";
import { drawFiles } from "./files.js";
import { Form } from "./form.js";
import { mrkdwn, mrkdwnLine } from "./mrkdwn.js";
import { clockOf, dayOf, momentOf, personName } from "./names.js";
import { avatar, badge } from "./people.js";

/** A message's row. `act` holds what a person can do with it (see `actions.js`). */
export class Row {
  constructor(message, { act, channel }) {
    this.act = act;
    this.channel = channel;
    this.drawn = {};
    this.form = new Form();
    this.press = (action) => act.press(channel, this.message, action);
    this.text = el("div", { class: "text" });
    this.blocks = el("div", { class: "blocks" });
    this.edited = el("span", { class: "edited", text: "(edited)" });
    this.parts = {
      day: el("div", { class: "day", role: "separator" }),
      side: el("div", { class: "side" }),
      note: el("p", { class: "note" }),
      head: el("header", { class: "message-head" }),
      body: el("div", { class: "body" }),
      attachments: el("div", { class: "attachments" }),
      files: el("div", { class: "files" }),
      reactions: el("div", { class: "reactions" }),
      thread: el("div", { class: "thread-foot" }),
    };
    const { day, side, ...rest } = this.parts;
    const main = el("div", { class: "message-main" }, ...Object.values(rest));
    this.article = el("article", { tabindex: "-1", data: { ts: message.ts } }, side, main);
    this.node = el("li", {}, day, this.article);
  }

  /** Show `message` with how it stands in its list: `{day, compact, author, me, names, thread}`. */
  update(message, look) {
    const lookKey = keyOf(look);
    if (this.message === message && this.lookKey === lookKey) return;
    this.message = message;
    this.lookKey = lookKey;
    const user = look.author;
    this.article.className = classesOf(message, look);
    this.draw("day", look.day, (node) => fill(node, el("span", { text: look.day ?? "" })));
    this.draw("side", [look.compact, user?.id, message.ts], (node) =>
      fill(node, ...side(message, look)),
    );
    this.draw("note", noteOf(message), (node) => (node.textContent = noteOf(message) ?? ""));
    this.draw("head", [look.compact, user, message.ts], (node) =>
      fill(node, ...head(message, look)),
    );
    this.draw("body", bodyKey(message), (node) => this.drawBody(node, message));
    this.draw("attachments", message.attachments, (node) =>
      fill(node, ...drawAttachments(message.attachments ?? [], { press: this.press })),
    );
    this.draw("files", message.files, (node) => fill(node, ...drawFiles(message.files ?? [])));
    this.draw("reactions", [message.reactions, look.me], (node) =>
      this.drawReactions(node, look.me),
    );
    this.draw("thread", look.thread, (node) => fill(node, ...this.threadFoot(look.thread)));
    this.article.setAttribute("aria-label", labelOf(message, user));
  }

  /** Redraw one part when the source it is drawn from differs from the last one. */
  draw(name, source, drawPart) {
    const key = JSON.stringify(source ?? null);
    if (this.drawn[name] === key) return;
    this.drawn[name] = key;
    drawPart(this.parts[name]);
    this.parts[name].hidden =
      this.parts[name].childNodes.length === 0 || (name === "day" && !source);
    if (name === "body" && this.editing) this.parts.body.hidden = true;
  }

  drawBody(node, message) {
    const { text, blocks, edited } = this;
    const hasBlocks = Boolean(message.blocks?.length);
    showBlocks(blocks, message.blocks ?? [], {
      press: this.press,
      form: this.form,
      open: Boolean(message.streaming),
    });
    if (hasBlocks) text.remove();
    else node.prepend(fill(text, ...plainBody(message)));
    if (!blocks.isConnected) node.append(blocks);
    edited.remove();
    if (message.edited) lastLine(hasBlocks ? blocks : text).append(edited);
  }

  drawReactions(node, me) {
    const chips = (this.message.reactions ?? []).map((reaction) => {
      const mine = reaction.users.includes(me);
      const toggle = () => this.act.toggleReaction(this.channel, this.message, reaction.name);
      return el(
        "button",
        {
          type: "button",
          class: "reaction",
          "aria-pressed": String(mine),
          title: `${whoReacted(reaction, me)} reacted with :${reaction.name}:`,
          data: { reaction: reaction.name },
          on: { click: toggle },
        },
        emoji(reaction.name),
        el("span", { class: "count", text: String(reaction.count ?? reaction.users.length) }),
      );
    });
    if (!chips.length) {
      fill(node);
      return;
    }
    const add = iconButton(
      "smile",
      "Add a reaction",
      (event) => this.act.pickReaction(this.channel, this.message, event.currentTarget),
      { class: "reaction reaction-add" },
    );
    fill(node, ...chips, add);
  }

  threadFoot(thread) {
    if (!thread) return [];
    const open = () => this.act.openThread(this.channel, thread.root);
    const nodes = [];
    if (thread.count) {
      const faces = thread.people.map((user) => avatar(user, "avatar-small"));
      const words = thread.count === 1 ? "1 reply" : `${thread.count} replies`;
      nodes.push(
        el(
          "button",
          { type: "button", class: "replies", on: { click: open } },
          ...faces,
          el("strong", { text: words }),
          el("span", { class: "quiet", text: `last at ${clockOf(thread.last)}` }),
          icon("chevron"),
        ),
      );
    }
    if (thread.broadcast) {
      nodes.push(
        el(
          "button",
          { type: "button", class: "replies", on: { click: open } },
          el("strong", { text: "View thread" }),
        ),
      );
    }
    if (thread.status) {
      nodes.push(
        el(
          "button",
          { type: "button", class: "status status-foot", on: { click: open } },
          el("span", {}, ...mrkdwnLine(thread.status)),
        ),
      );
    }
    return nodes;
  }
}

/** Say in short how a row looks: compared for every row in every frame, so people count by id. */
function keyOf({ day, compact, me, names, thread }) {
  const foot = thread && [
    thread.count,
    thread.last,
    thread.status,
    thread.people.map(({ id }) => id),
  ];
  return JSON.stringify([day, compact, me, names, foot]);
}

function classesOf(message, look) {
  const classes = ["message"];
  if (look.compact) classes.push("compact");
  if (message.streaming) classes.push("streaming");
  if (message.ephemeral) classes.push("ephemeral");
  if (message.subtype === "tombstone") classes.push("tombstone");
  return classes.join(" ");
}

function side(message, look) {
  if (!look.compact) return [avatar(look.author)];
  return [el("time", { class: "side-time", text: clockOf(message.ts) })];
}

function head(message, look) {
  if (look.compact) return [];
  const name = message.username || personName(message.user);
  const when = momentOf(message.ts);
  return [
    el("strong", { class: "author", text: name }),
    badge(look.author),
    el("time", {
      datetime: when.toISOString(),
      title: when.toLocaleString(),
      text: clockOf(message.ts),
    }),
  ];
}

function noteOf(message) {
  if (message.ephemeral) return "Only visible to you";
  if (message.subtype === "thread_broadcast") return "Also sent to the channel from a thread";
  return null;
}

function bodyKey(message) {
  return [message.text, message.blocks, message.streaming, message.edited, message.subtype];
}

function plainBody(message) {
  if (message.subtype === "tombstone")
    return [el("p", { class: "quiet", text: "This message was deleted." })];
  return mrkdwn(message.text);
}

/** Find where "(edited)" goes: the end of the last line of text. */
function lastLine(node) {
  const texts = node.matches(".text") ? [node] : [...node.querySelectorAll(".text")];
  const last = texts.at(-1)?.lastElementChild;
  return last?.nodeName === "P" ? last : (texts.at(-1) ?? node);
}

function whoReacted(reaction, me) {
  const names = reaction.users.map((id) => (id === me ? "You" : personName(id)));
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Build the row's accessible name; its text is read from the content itself. */
function labelOf(message, user) {
  const who = message.username || personName(user?.id ?? message.user);
  return `${who}, ${dayOf(message.ts)} ${clockOf(message.ts)}`;
}
