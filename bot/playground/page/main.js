/**
 * Wires the page: loads the state as one person, follows the feed, draws what changed.
 * Start here to read the page; `store.js` is its memory, `panes.js` what one looks at.
 */
import { actionsFor } from "./actions.js";
import { loadState } from "./api.js";
import { firstChannel } from "./channels.js";
import { Drawer } from "./drawer.js";
import { follow } from "./feed.js";
import { Header } from "./header.js";
import { listenForKeys } from "./keyboard.js";
import { personName, use } from "./names.js";
import { ChannelPane, ThreadPane } from "./panes.js";
import { address, here, onMove } from "./route.js";
import { Sidebar } from "./sidebar.js";
import { Speech } from "./speech.js";
import { Store } from "./store.js";
import { applyTheme } from "./theme.js";
import { attempt, toast } from "./toast.js";
import { Modals } from "./views.js";

const PERSON_KEY = "playground.person";
const PHONE = window.matchMedia("(max-width: 719px)");
const part = (id) => document.getElementById(id);

const store = new Store();
use(store);
const act = actionsFor(store);
const header = new Header(part("top"), { store, actAs: enter, openDrawer: () => drawer.toggle() });
const sidebar = new Sidebar(part("sidebar"), { store, act });
const panes = {
  channel: new ChannelPane(part("channel"), { store, act }),
  thread: new ThreadPane(part("thread"), { store, act }),
};
const modals = new Modals({ store, act });
const drawer = new Drawer(part("drawer"), { onToggle: (open) => header.showDrawer(open) });
const speech = new Speech(part("speech"), store);
let stopFollowing = () => {};

/** Load everything as one person and follow what changes from there. */
async function enter(person) {
  stopFollowing();
  const state = await attempt(() => loadState(person));
  if (!state) {
    setTimeout(() => enter(person), 2000);
    return;
  }
  store.load(state);
  sessionStorage.setItem(PERSON_KEY, store.me);
  stopFollowing = follow({
    person: store.me,
    after: store.seq,
    onLive: (live) => header.showLive(live),
    onChange: (change) => {
      if (change.type === "toast") toast(change.text);
      else store.apply(change);
    },
  });
}

/** Draw everything that shows; each part notices by itself whether it changed. */
function draw() {
  const place = placeToShow();
  document.body.dataset.screen = place.thread ? "thread" : place.channel ? "channel" : "channels";
  header.show();
  store.markRead(place.channel);
  sidebar.show(place.channel);
  panes.channel.show(place.channel, place.isHome);
  panes.thread.show(place.channel, place.thread);
  modals.show();
  document.title = titleOf(place);
}

/** Return where the reader is; a channel they cannot see, or none on a wide page, is the first one. */
function placeToShow() {
  const place = here();
  if (store.channels.has(place.channel)) return place;
  const channel = PHONE.matches && !place.channel ? "" : firstChannel(store);
  if (channel) history.replaceState(null, "", address(channel));
  return { channel, thread: "", isHome: false };
}

/** Put the focus where one writes next, unless there is nothing to write. */
function moveFocus({ thread, isHome }) {
  if (!isHome) (thread ? panes.thread : panes.channel).composer.focus();
}

function titleOf({ channel }) {
  const name = store.channels.get(channel)?.name;
  const unread = store.unread.size ? "• " : "";
  return `${unread}${name ? `#${name}` : personName(store.me)} · Deskmate playground`;
}

applyTheme();
store.onChange((arrivals) => {
  if (!store.users.size) return;
  draw();
  speech.hear(arrivals, here());
});
onMove(() => {
  if (!store.users.size) return;
  draw();
  if (!PHONE.matches) moveFocus(here());
});
PHONE.addEventListener("change", () => store.users.size && draw());
listenForKeys(store, panes, drawer);
part("skip").addEventListener("click", (event) => {
  event.preventDefault();
  panes.channel.composer.focus();
});
enter(new URLSearchParams(location.search).get("as") ?? sessionStorage.getItem(PERSON_KEY) ?? "");
