/**
 * Follows the server's changes (server-sent events read with fetch, so that the token can travel in
 * a header) and goes on after the last one heard when the connection breaks.
 */
import { openEvents } from "./api.js";

const WAITS_MS = [300, 1000, 2000, 4000];

/**
 * Follow the feed as one person until the returned function is called.
 * `onChange(change, seq)` gets each change, `onLive(true|false)` hears when the connection comes and goes.
 */
export function follow({ person, after, onChange, onLive }) {
  const stopper = new AbortController();
  const place = { seq: after };
  keepReading({ person, place, onChange, onLive, signal: stopper.signal });
  return () => stopper.abort();
}

async function keepReading({ person, place, onChange, onLive, signal }) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await openEvents(person, place.seq, signal);
      onLive(true);
      failures = 0;
      await readEvents(response.body, (event) => {
        if (signal.aborted) return;
        if (event.id) place.seq = Number(event.id);
        if (event.data) onChange(JSON.parse(event.data), place.seq);
      });
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // A playground that was started again has a new token: only a fresh page knows it.
      if (error.code === "status_403") location.reload();
      console.debug("The feed broke off:", error.message);
    }
    if (signal.aborted) return;
    onLive(false);
    await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]);
  }
}

/** Read a body of server-sent events, one call of `take({id, data})` per event. */
async function readEvents(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
    waiting = events.pop();
    for (const event of events) take(parseEvent(event));
  }
}

function parseEvent(text) {
  const event = { id: "", data: "" };
  for (const line of text.split("\n")) {
    if (line.startsWith("id:")) event.id = line.slice(3).trim();
    if (line.startsWith("data:")) event.data += line.slice(5).trim();
  }
  return event;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
