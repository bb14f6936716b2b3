/**
 * Select menus: a button that shows the choice, and a list with a search field that opens from it.
 * Options come from the app, or are the workspace's people, channels or conversations.
 */
import { channelTitle, isDirect, otherPerson } from "./channels.js";
import { el, fill, icon } from "./dom.js";
import { Field } from "./form.js";
import { personName, workspace } from "./names.js";
import { avatar, badge } from "./people.js";
import { place } from "./popover.js";
import { textObject, wordsOf } from "./texts.js";

let last = 0;
const MOST = 100;

const single = (initial, groups) => (part, block, how) =>
  new Select(part, new Field(part, block, how, initial(part) ?? null), groups).button;
const several = (initial, groups) => (part, block, how) =>
  new Select(part, new Field(part, block, how, initial(part) ?? []), groups, true).button;

/** How each element type is drawn: `(part, block, how) -> node`. */
export const SELECTS = {
  static_select: single((part) => part.initial_option?.value, ownGroups),
  multi_static_select: several((part) => part.initial_options?.map(({ value }) => value), ownGroups),
  users_select: single((part) => part.initial_user, people),
  multi_users_select: several((part) => part.initial_users, people),
  channels_select: single((part) => part.initial_channel, channels),
  multi_channels_select: several((part) => part.initial_channels, channels),
  conversations_select: single((part) => part.initial_conversation, conversations),
  multi_conversations_select: several((part) => part.initial_conversations, conversations),
};

// --- what can be chosen: groups of {value, words, nodes} ------------------------------------------

function ownGroups(part) {
  const choices = (options) =>
    (options ?? []).map((option) => ({
      value: option.value,
      words: wordsOf(option.text),
      nodes: [
        el("span", {}, ...textObject(option.text)),
        option.description && el("span", { class: "quiet" }, ...textObject(option.description)),
      ],
    }));
  if (!part.option_groups) return [{ title: "", choices: choices(part.options) }];
  return part.option_groups.map(({ label, options }) => ({
    title: wordsOf(label),
    choices: choices(options),
  }));
}

function people() {
  const all = [...workspace().users.values()].filter((user) => !user.deleted);
  const choices = all.map((user) => ({
    value: user.id,
    words: personName(user.id),
    nodes: [avatar(user, "avatar-small"), el("span", { text: personName(user.id) }), badge(user)],
  }));
  return [{ title: "", choices }];
}

function channels() {
  return [{ title: "", choices: conversationChoices(({ kind }) => kind === "public") }];
}

function conversations(part) {
  const { include, exclude_bot_users: noBots } = part.filter ?? {};
  const fits = (channel) => {
    const isBot = otherPerson(channel, workspace())?.is_bot;
    return (!include || include.includes(channel.kind)) && !(noBots && isBot);
  };
  return [{ title: "", choices: conversationChoices(fits) }];
}

function conversationChoices(fits) {
  return [...workspace().channels.values()]
    .filter((channel) => !channel.is_archived && fits(channel))
    .sort((a, b) => Number(isDirect(a)) - Number(isDirect(b)))
    .map((channel) => {
      const words = channelTitle(channel, workspace());
      return { value: channel.id, words, nodes: [el("span", { text: words })] };
    });
}

// --- the button and its list ----------------------------------------------------------------------

class Select {
  constructor(part, field, groups, isMulti = false) {
    Object.assign(this, { part, field, groups, isMulti });
    this.id = `select-${(last += 1)}`;
    this.words = el("span", { class: "select-words", id: `${this.id}-words` });
    const { "aria-labelledby": label, ...naming } = field.naming;
    this.button = el(
      "button",
      {
        type: "button",
        class: "select",
        ...naming,
        "aria-labelledby": label ? `${label} ${this.words.id}` : null,
        "aria-haspopup": "listbox",
        data: { action: part.action_id ?? "" },
        on: { click: () => this.open(), keydown: (event) => this.buttonKey(event) },
      },
      this.words,
      icon("chevron"),
    );
    this.show();
  }

  get chosen() {
    const { value } = this.field;
    return this.isMulti ? (value ?? []) : [value].filter((one) => one !== null);
  }

  /** Write the choice, or the placeholder, on the button. */
  show() {
    const all = this.groups(this.part).flatMap((group) => group.choices);
    const names = this.chosen.map((value) => all.find((c) => c.value === value)?.words ?? value);
    const placeholder = this.part.placeholder?.text ?? "Choose";
    this.words.textContent = names.join(", ") || placeholder;
    this.words.classList.toggle("quiet", names.length === 0);
    if (!this.field.how.label)
      this.button.setAttribute("aria-label", [placeholder, names.join(", ")].filter(Boolean).join(": "));
  }

  buttonKey(event) {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    event.stopPropagation();
    this.open();
  }

  open() {
    if (this.close) {
      this.close(true);
      return;
    }
    this.before = this.field.value;
    this.search = el("input", {
      type: "search",
      role: "combobox",
      placeholder: "Search",
      "aria-label": "Search the choices",
      "aria-controls": `${this.id}-list`,
      "aria-expanded": "true",
      autocomplete: "off",
    });
    this.list = el("div", {
      class: "select-list",
      role: "listbox",
      id: `${this.id}-list`,
      "aria-label": this.part.placeholder?.text ?? "Choices",
      "aria-multiselectable": this.isMulti ? "true" : null,
    });
    const box = el("div", { class: "popover select-box" }, this.search, this.list);
    this.search.addEventListener("input", () => this.draw(0));
    this.search.addEventListener("keydown", (event) => this.key(event));
    this.draw();
    this.close = place(box, this.button, { onClose: () => this.closed(), start: true });
    this.search.focus();
    this.list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  /** Draw the choices that fit the search; `at` is the one the keys act on. */
  draw(at) {
    const needle = this.search.value.trim().toLowerCase();
    const fits = (choice) => choice.words.toLowerCase().includes(needle);
    const chosen = new Set(this.chosen);
    this.shown = [];
    const sections = this.groups(this.part).map(({ title, choices }) => {
      const rows = choices.filter(fits).slice(0, MOST).map((choice) => this.row(choice, chosen));
      if (!rows.length) return null;
      const head = title && el("p", { class: "select-group", text: title, role: "presentation" });
      return el("div", { role: "group", "aria-label": title || null }, head || null, ...rows);
    });
    fill(this.list, ...sections, this.clearRow(chosen));
    if (!this.shown.length) fill(this.list, el("p", { class: "quiet", text: "Nothing fits." }));
    const known = this.shown.findIndex(({ choice }) => chosen.has(choice?.value));
    this.mark(at ?? Math.max(known, 0));
  }

  row(choice, chosen) {
    const isOn = chosen.has(choice.value);
    const row = el(
      "div",
      {
        role: "option",
        id: `${this.id}-${this.shown.length}`,
        class: "select-option",
        "aria-selected": String(isOn),
        // mousedown would take the focus from the search field.
        on: { mousedown: (event) => event.preventDefault(), click: () => this.take(choice) },
      },
      ...choice.nodes.filter(Boolean),
      isOn ? icon("check") : null,
    );
    this.shown.push({ choice, row });
    return row;
  }

  /** Offer the way back to nothing where nothing is allowed. */
  clearRow(chosen) {
    if (!this.field.optional || this.isMulti || !chosen.size) return null;
    return this.row({ value: null, nodes: [el("span", { class: "quiet", text: "Clear" })] }, new Set());
  }

  mark(at) {
    this.at = Math.min(at, this.shown.length - 1);
    this.shown.forEach(({ row }, place) => row.classList.toggle("at", place === this.at));
    const row = this.shown[this.at]?.row;
    if (row) this.search.setAttribute("aria-activedescendant", row.id);
    else this.search.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.shown.length) {
      this.mark((this.at + step + this.shown.length) % this.shown.length);
    } else if (event.key === "Enter" && this.shown[this.at]) {
      this.take(this.shown[this.at].choice);
    } else if (event.key === "Tab") {
      this.close(true);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  take(choice) {
    if (!this.isMulti) {
      this.picked = { value: choice.value };
      this.close(true);
      return;
    }
    const now = this.chosen;
    const isOn = now.includes(choice.value);
    if (!isOn && this.part.max_selected_items && now.length >= this.part.max_selected_items) return;
    this.field.keep(isOn ? now.filter((one) => one !== choice.value) : [...now, choice.value]);
    this.show();
    this.draw(this.shown.findIndex((one) => one.choice.value === choice.value));
  }

  /** Tell what was chosen: one at once, several when the list closes. */
  async closed() {
    this.close = null;
    const { picked, before } = this;
    this.picked = null;
    const value = picked ? picked.value : this.field.value;
    if (JSON.stringify(value) === JSON.stringify(before)) return;
    this.field.keep(before);
    const done = this.field.choose(value);
    this.show();
    await done;
    this.show();
  }
}
