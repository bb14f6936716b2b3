/** The bar at the top: whose workspace, which model answers, as whom one acts, theme and keys. */
import { showKeys } from "./dialogs.js";
import { el, fill, icon, iconButton } from "./dom.js";
import { personName } from "./names.js";
import { avatar, badge, badgeOf, lamp } from "./people.js";
import { openMenu, place } from "./popover.js";
import { nextTheme, themeWords } from "./theme.js";

const ABOUT = {
  rehearsal:
    "The rehearsal model follows a script, it does not think. Start with --model NAME for a real one.",
};

export class Header {
  /** `actAs(id)` is called when another person is chosen, `openDrawer()` for journal and chaos. */
  constructor(root, { store, actAs, openDrawer }) {
    this.store = store;
    this.actAs = actAs;
    this.model = el("button", {
      type: "button",
      class: "model",
      on: { click: () => this.explain() },
    });
    this.live = el("span", { class: "live", role: "status" });
    this.person = el("button", {
      type: "button",
      class: "act-as",
      "aria-haspopup": "menu",
      on: { click: () => this.choosePerson() },
    });
    this.drawer = iconButton("pulse", "Journal and chaos (J)", openDrawer, {
      class: "drawer-button",
      "aria-expanded": "false",
      "aria-controls": "drawer",
    });
    const theme = iconButton("theme", themeWords(), (event) =>
      label(event.currentTarget, nextTheme()),
    );
    const keys = el("button", {
      type: "button",
      class: "icon-button keys-button",
      title: "Keys (?)",
      "aria-label": "Show the keys",
      text: "?",
      on: { click: showKeys },
    });
    const brand = el(
      "span",
      { class: "brand" },
      el("span", { class: "brand-sign", "aria-hidden": "true" }, lamp()),
      el("h1", { class: "brand-name", text: "Playground" }),
    );
    fill(
      root,
      brand,
      this.model,
      this.live,
      el("span", { class: "gap" }),
      this.person,
      this.drawer,
      theme,
      keys,
    );
  }

  show() {
    const { model, me, users } = this.store;
    const person = users.get(me);
    const key = JSON.stringify([model, person]);
    if (key === this.key) return;
    this.key = key;
    fill(
      this.model,
      el("span", { class: "quiet", text: "model " }),
      el("strong", { text: model || "none" }),
    );
    this.model.title = ABOUT[model] ?? `Answers come from ${model || "no model"}.`;
    fill(
      this.person,
      avatar(person, "avatar-small"),
      el(
        "span",
        { class: "act-as-words" },
        el("span", { class: "quiet", text: "acting as " }),
        el("strong", { text: personName(me) }),
      ),
      icon("chevron"),
    );
  }

  /** Say in one line whether changes still arrive. */
  showLive(live) {
    this.live.textContent = live ? "" : "Reconnecting…";
  }

  showDrawer(open) {
    this.drawer.setAttribute("aria-expanded", String(open));
  }

  /** Show the model's explanation where nothing hovers: on touch and by keyboard. */
  explain() {
    const node = el("p", {
      class: "popover tip",
      role: "status",
      tabindex: "-1",
      text: this.model.title,
    });
    place(node, this.model);
    node.focus();
  }

  choosePerson() {
    const people = [...this.store.users.values()].filter((user) => !user.is_bot && !user.deleted);
    const choices = people.map((user) => ({
      nodes: [
        avatar(user, "avatar-small"),
        el("strong", { text: personName(user.id) }),
        badge(user),
        rights(user) && el("span", { class: "quiet", text: rights(user) }),
      ].filter(Boolean),
      checked: user.id === this.store.me,
      data: { person: user.id },
      choose: () => this.actAs(user.id),
    }));
    openMenu(this.person, "Act as", choices);
  }
}

function rights(user) {
  if (user.is_admin) return "admin";
  return badgeOf(user) ? "" : "member";
}

function label(button, words) {
  button.title = words;
  button.setAttribute("aria-label", words);
}
