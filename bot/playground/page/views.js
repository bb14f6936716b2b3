/**
 * What an app shows beside messages: modals, one over the other, and its Home.
 * Both are blocks with a form; the workspace keeps the stack, this draws what it says.
 */
import { showBlocks, showErrors } from "./blocks.js";
import { el, fill, icon, iconButton } from "./dom.js";
import { Form } from "./form.js";
import { avatar } from "./people.js";
import { wordsOf } from "./texts.js";
import { keepToasts } from "./toast.js";

/** How long an app may take with a submission before the button can be pressed again. */
const PATIENCE_MS = 3500;

/** One open modal. It keeps its fields while another one lies over it. */
class Modal {
  constructor(view, { store, act }) {
    Object.assign(this, { store, act });
    this.form = new Form();
    this.form.restore(view.state?.values);
    const id = `view-${view.id}`;
    this.title = el("h2", { id });
    this.body = el("div", { class: "dialog-body blocks" });
    this.head = el("header");
    this.foot = el("footer");
    const onSubmit = (event) => {
      event.preventDefault();
      this.submit();
    };
    const form = el("form", { novalidate: true, on: { submit: onSubmit } });
    form.append(this.head, this.body, this.foot);
    this.dialog = el("dialog", { class: "view-modal", "aria-labelledby": id }, form);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.act.closeView(this.view.id);
    });
    document.body.append(this.dialog);
  }

  /** Show `view` in its present version; `under` is the view it lies on, if there is one. */
  show(view, under) {
    if (view !== this.view) {
      const changed = view.hash !== this.view?.hash;
      this.view = view;
      if (changed) this.draw(under);
      this.wait(false);
    }
    if (!this.dialog.open) this.dialog.showModal();
  }

  draw(under) {
    const { view, act } = this;
    const app = this.store.apps().find((user) => user.profile.api_app_id === view.app_id);
    this.title.textContent = wordsOf(view.title);
    const back = () => act.closeView(view.id);
    const close = () => act.closeView(view.id, true);
    fill(
      this.head,
      under ? iconButton("back", `Back to ${wordsOf(under.title)}`, back) : app ? avatar(app) : null,
      this.title,
      iconButton("close", "Close", close),
    );
    showBlocks(this.body, view.blocks ?? [], {
      form: this.form,
      press: (action) => act.choose(view.id, action),
    });
    const button = (text, classes, type, click) =>
      el("button", { type, class: `button ${classes}`.trim(), text, on: click ? { click } : {} });
    this.submitButton = view.submit
      ? button(wordsOf(view.submit), "button-primary", "submit")
      : null;
    const leave = wordsOf(view.close, view.submit ? "Cancel" : "Close");
    fill(this.foot, button(leave, "", "button", back), this.submitButton);
  }

  async submit() {
    if (this.submitButton?.disabled) return;
    this.wait(true);
    this.complain({});
    const empty = await this.act.submit(this.view.id, this.form.values());
    // The app's own answer may have come through the feed already; it stays.
    if (empty && !Object.keys(empty).length) return;
    this.wait(false);
    this.complain(empty ?? {});
  }

  complain(errors) {
    showErrors(this.body, errors);
  }

  /** Keep the person from submitting twice while the app thinks. */
  wait(waiting) {
    clearTimeout(this.patience);
    if (this.submitButton) this.submitButton.disabled = waiting;
    if (waiting) this.patience = setTimeout(() => this.wait(false), PATIENCE_MS);
  }

  hide() {
    keepToasts(this.dialog);
    if (this.dialog.open) this.dialog.close();
  }

  remove() {
    this.hide();
    this.dialog.remove();
  }
}

/** The stack of open modals: the last one shows, those under it wait with what was filled in. */
export class Modals {
  constructor({ store, act }) {
    this.store = store;
    this.how = { store, act };
    this.open = new Map();
  }

  show() {
    const { modals, viewErrors } = this.store;
    const wanted = new Set(modals.map((view) => view.id));
    for (const [id, modal] of this.open) {
      if (wanted.has(id)) continue;
      modal.remove();
      this.open.delete(id);
    }
    modals.forEach((view, at) => {
      if (!this.open.has(view.id)) this.open.set(view.id, new Modal(view, this.how));
      if (at < modals.length - 1) this.open.get(view.id).hide();
    });
    const top = modals.at(-1);
    if (!top) return;
    this.open.get(top.id).show(top, modals.at(-2));
    if (viewErrors && viewErrors !== this.shownErrors) this.complain(viewErrors);
  }

  complain(viewErrors) {
    this.shownErrors = viewErrors;
    const modal = this.open.get(viewErrors.view);
    modal?.wait(false);
    modal?.complain(viewErrors.errors);
  }
}

/** An app's Home, in the place of its messages. */
export class Home {
  constructor({ store, act }) {
    Object.assign(this, { store, act });
    this.body = el("div", { class: "home-body blocks" });
    this.note = el("p", { class: "home-note quiet" });
    this.node = el(
      "section",
      { class: "home", role: "tabpanel", id: "app-home", "aria-label": "Home", hidden: true },
      this.note,
      this.body,
    );
    this.forms = new Map();
  }

  /** Show the Home of the app with this bot user, telling the app that it was opened. */
  show(user) {
    this.node.hidden = !user;
    const key = user && `${this.store.me} ${user}`;
    if (key && key !== this.key) this.act.openHome(this.store.homeOf(user)?.app);
    if (key !== this.key) fill(this.body);
    if (key !== this.key) this.body.drawnBlocks = [];
    this.key = key;
    if (!user) return;
    const home = this.store.homeOf(user);
    this.note.hidden = Boolean(home?.view);
    this.note.textContent = `${home?.name ?? "This app"} has put nothing on its Home yet.`;
    if (!this.forms.has(key)) this.forms.set(key, new Form());
    showBlocks(this.body, home?.view?.blocks ?? [], {
      form: this.forms.get(key),
      press: (action) => this.act.choose(home.view.id, action),
    });
  }
}

/** Draw the two tabs of an app's conversation. */
export function homeTabs(isHome, go) {
  const tab = (text, selected, sign, choose) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        "aria-selected": String(selected),
        on: { click: choose },
      },
      icon(sign),
      text,
    );
  return el(
    "div",
    { class: "tabs", role: "tablist", "aria-label": "What to see of this app" },
    tab("Home", isHome, "home", () => go(true)),
    tab("Messages", !isHome, "thread", () => go(false)),
  );
}
