/** Says new messages to screen readers: once, politely, and a streamed answer only when it is whole. */
import { personName } from "./names.js";
import { isReply } from "./store.js";

const LONGEST = 400;

export class Speech {
  constructor(node, store) {
    this.node = node;
    this.store = store;
    this.streaming = new Map();
  }

  /** Hear of new messages; only what stands on screen (`place`) is said. */
  hear(arrivals, place) {
    for (const { channel, message } of arrivals) {
      if (channel !== place.channel || message.user === this.store.me) continue;
      if (isReply(message) && message.thread_ts !== place.thread) continue;
      if (message.streaming) this.streaming.set(message.ts, channel);
      else this.say(message);
    }
    for (const [ts, channel] of this.streaming) {
      const message = this.store.message(channel, ts);
      if (message?.streaming) continue;
      this.streaming.delete(ts);
      if (message && channel === place.channel) this.say(message);
    }
  }

  say(message) {
    const text = wordsOf(message);
    const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
    this.node.textContent = `${message.username || personName(message.user)}: ${cut}`;
  }
}

function wordsOf(message) {
  const text =
    message.text ||
    message.blocks?.map((block) => block.text?.text ?? block.text ?? "").join(" ") ||
    "";
  return text.replace(/<@([A-Z0-9]+)[^>]*>/gu, (_, id) => personName(id)).replace(/[*_~`#>]/gu, "");
}
