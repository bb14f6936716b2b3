/** Where the reader is, kept in the address: `#/CHANNEL`, `#/CHANNEL/THREAD` or `#/CHANNEL/home`. */

export const HOME = "home";

/** Read the place from the address; each part may be empty. `isHome`: an app's Home, not its messages. */
export function here() {
  const [, channel = "", rest = ""] = location.hash.split("/");
  const isHome = rest === HOME;
  return { channel, thread: isHome ? "" : rest, isHome };
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
