/** The list of conversations: channels, direct messages, apps; and the way to begin a new one. */
import { channelTitle, isDirect, others, otherPerson, shelvesOf } from "./channels.js";
import { openDialog } from "./dialogs.js";
import { el, fill, icon, iconButton } from "./dom.js";
import { personName } from "./names.js";
import { avatar, badge } from "./people.js";
import { address } from "./route.js";

export class Sidebar {
  constructor(root, { store, act }) {
    this.root = root;
    this.store = store;
    this.act = act;
  }

  /** Draw the list with `current` marked. */
  show(current) {
    const { channels, direct, apps } = shelvesOf(this.store);
    const key = JSON.stringify([
      current,
      this.store.me,
      [...channels, ...direct, ...apps],
      [...this.store.unread],
      this.store.users.size,
    ]);
    if (key === this.key) return;
    this.key = key;
    const hadFocus = this.root.contains(document.activeElement);
    const begin = iconButton("plus", "New direct message", () => this.begin(), { class: "add" });
    fill(
      this.root,
      this.shelf("Channels", channels, current),
      this.shelf("Direct messages", direct, current, begin),
      this.shelf("Apps", this.withApps(apps), current),
    );
    if (hadFocus) this.root.querySelector('[aria-current="page"]')?.focus();
  }

  /** Add the apps one has not talked to yet, so that their direct message is one press away. */
  withApps(channels) {
    const known = new Set(channels.map((channel) => otherPerson(channel, this.store).id));
    return [...channels, ...this.store.apps().filter((app) => !known.has(app.id))];
  }

  shelf(title, entries, current, extra = null) {
    const id = `shelf-${title.toLowerCase().replaceAll(" ", "-")}`;
    const rows = entries.map((entry) => el("li", {}, this.entry(entry, current)));
    const head = el("div", { class: "shelf-head" }, el("h2", { id, text: title }), extra);
    return el("section", { "aria-labelledby": id }, head, el("ul", {}, ...rows));
  }

  entry(entry, current) {
    return entry.kind ? this.conversation(entry, current) : this.newcomer(entry);
  }

  /** Draw an app nobody here has talked to yet. */
  newcomer(app) {
    return el(
      "button",
      { type: "button", class: "entry", on: { click: () => this.act.openDm([app.id]) } },
      avatar(app, "avatar-small"),
      el("span", { class: "entry-name", text: personName(app.id) }),
    );
  }

  conversation(channel, current) {
    const count = channel.id === current ? 0 : (this.store.unread.get(channel.id) ?? 0);
    const title = channelTitle(channel, this.store);
    const person = otherPerson(channel, this.store);
    return el(
      "a",
      {
        class: count ? "entry unread" : "entry",
        href: address(channel.id),
        "aria-current": channel.id === current ? "page" : null,
        "aria-label": count ? `${title}, ${count} new` : title,
        data: { channel: channel.id },
      },
      signOf(channel, person, this.store),
      el("span", { class: "entry-name", text: isDirect(channel) ? title : channel.name }),
      person?.is_bot ? null : badge(person),
      count ? el("span", { class: "unread-count", text: String(count) }) : null,
    );
  }

  /** Ask whom to talk to: one person opens a direct message, several a group. */
  begin() {
    const people = [...this.store.users.values()].filter(
      (user) => user.id !== this.store.me && !user.deleted,
    );
    const boxes = people.map((user) => {
      const box = el("input", { type: "checkbox", value: user.id });
      return el(
        "label",
        { class: "person" },
        box,
        avatar(user, "avatar-small"),
        el("span", { text: personName(user.id) }),
        badge(user),
      );
    });
    const open = async () => {
      const chosen = boxes
        .map((label) => label.querySelector("input"))
        .filter((box) => box.checked);
      if (!chosen.length) return;
      dialog.close();
      await this.act.openDm(chosen.map((box) => box.value));
    };
    const start = el("button", {
      type: "button",
      class: "button button-primary",
      text: "Start",
      on: { click: open },
    });
    const dialog = openDialog("New direct message", [el("div", { class: "people" }, ...boxes)], {
      buttons: [start],
    });
  }
}

function signOf(channel, person, store) {
  if (channel.kind === "private") return icon("lock");
  if (person) return avatar(person, "avatar-small");
  if (channel.kind === "mpim")
    return el("span", {
      class: "group-count avatar avatar-small",
      data: { letters: String(others(channel, store).length) },
      "aria-hidden": "true",
    });
  return el("span", { class: "hash", text: "#", "aria-hidden": "true" });
}
