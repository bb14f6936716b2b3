/** Where the reader is, kept in the address: `#/CHANNEL` or `#/CHANNEL/THREAD`. */

/** Read the place from the address; both parts may be empty. */
export function here() {
  const [, channel = "", thread = ""] = location.hash.split("/");
  return { channel, thread };
}

/** Return the address of a place. */
export function address(channel = "", thread = "") {
  return `#/${[channel, thread].filter(Boolean).join("/")}`;
}

/** Go to a place. */
export function go(channel, thread) {
  const wanted = address(channel, thread);
  if (location.hash !== wanted) location.hash = wanted;
}

/** Call `listener` whenever the place changes. */
export function onMove(listener) {
  window.addEventListener("hashchange", listener);
}
