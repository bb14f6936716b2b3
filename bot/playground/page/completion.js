/**
 * The list that opens while one types `@`, `/`, `#` or `:` in a text field: a listbox that the field
 * points to, moved by ↑ and ↓, taken with Enter or Tab.
 */
import { el, icon } from "./dom.js";
import { emoji, findNames, glyphOf } from "./emoji.js";
import { personName } from "./names.js";
import { avatar, badge } from "./people.js";

const MOST = 8;
let last = 0;

export class Completion {
  /** Attach to a textarea; `run(shortcut)` is called when a global shortcut is chosen. */
  constructor(field, store, { run = () => {} } = {}) {
    this.field = field;
    this.store = store;
    this.run = run;
    this.id = `completion-${(last += 1)}`;
    this.node = el("ul", {
      class: "completion",
      role: "listbox",
      id: this.id,
      "aria-label": "Suggestions",
      hidden: true,
    });
    this.choices = [];
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.id);
    field.addEventListener("input", () => this.refresh());
    field.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return !this.node.hidden;
  }

  refresh() {
    const before = this.field.value.slice(0, this.field.selectionStart);
    this.choices = this.find(before);
    this.at = 0;
    if (this.choices.length) this.draw();
    else this.close();
  }

  find(before) {
    const word = before.match(/(?:^|\s)([@#:])([^\s@#:]{0,30})$/u);
    const command = before.match(/^\/(\S*)$/u);
    if (command) return [...this.findCommands(command[1]), ...this.findShortcuts(command[1])];
    const argument = before.match(/^(\/\S+) (\S*)$/u);
    if (argument) return this.findVerbs(argument[1], argument[2]);
    if (!word) return [];
    const [, mark, query] = word;
    this.from = before.length - query.length - 1;
    if (mark === "@") return this.findPeople(query);
    if (mark === "#") return this.findChannels(query);
    return query.length >= 2 ? findEmoji(query) : [];
  }

  findCommands(query) {
    this.from = 0;
    return this.store.commands
      .filter(
        ({ command }) =>
          command.slice(1).startsWith(query.toLowerCase()) && command !== `/${query}`,
      )
      .slice(0, MOST)
      .map(({ command, description, usage_hint }) => ({
        insert: `${command} `,
        nodes: [
          el("strong", { text: command }),
          usage_hint ? el("code", { class: "quiet", text: usage_hint }) : null,
          el("span", { class: "quiet", text: description }),
        ],
      }));
  }

  /** Find the words a command's usage hint names for its first place: `list | show ID`. */
  findVerbs(name, query) {
    const hint = this.store.commands.find(({ command }) => command === name)?.usage_hint ?? "";
    this.from = name.length + 1;
    return hint
      .split("|")
      .map((part) => part.replace(/[[\]()]/gu, "").trim())
      .filter((part) => /^[a-z]/u.test(part))
      .map((part) => ({ verb: part.split(/\s/u)[0], part }))
      .filter(({ verb }) => verb.startsWith(query) && verb !== query)
      .slice(0, MOST)
      .map(({ verb, part }) => ({
        insert: verb,
        nodes: [
          el("strong", { text: verb }),
          part === verb ? null : el("code", { class: "quiet", text: part.slice(verb.length) }),
        ],
      }));
  }

  findShortcuts(query) {
    return this.store
      .shortcutsOf("global")
      .filter(({ title }) => startsAWord(title, query.toLowerCase()))
      .slice(0, MOST)
      .map((shortcut) => ({
        shortcut,
        insert: "",
        nodes: [
          icon("bolt"),
          el("strong", { text: shortcut.title }),
          el("span", { class: "quiet", text: shortcut.name }),
        ],
      }));
  }

  findPeople(query) {
    const needle = query.toLowerCase();
    const fits = (user) =>
      [user.name, user.real_name, personName(user.id)].some((name) =>
        startsAWord(name ?? "", needle),
      );
    return [...this.store.users.values()]
      .filter((user) => !user.deleted && fits(user))
      .sort((a, b) => Number(b.is_bot ?? false) - Number(a.is_bot ?? false))
      .slice(0, MOST)
      .map((user) => ({
        insert: `@${personName(user.id)} `,
        nodes: [
          avatar(user, "avatar-small"),
          el("strong", { text: personName(user.id) }),
          badge(user),
          el("span", { class: "quiet", text: fullName(user) }),
        ],
      }));
  }

  findChannels(query) {
    return [...this.store.channels.values()]
      .filter((channel) => channel.name.startsWith(query.toLowerCase()) && channel.kind !== "mpim")
      .slice(0, MOST)
      .map((channel) => ({
        insert: `#${channel.name} `,
        nodes: [el("strong", { text: `#${channel.name}` })],
      }));
  }

  draw() {
    const rows = this.choices.map((choice, at) =>
      el(
        "li",
        {
          role: "option",
          id: `${this.id}-${at}`,
          "aria-selected": String(at === this.at),
          // mousedown comes before the field loses its focus, which would close the list.
          on: { mousedown: (event) => this.take(at, event) },
        },
        ...choice.nodes.filter(Boolean),
      ),
    );
    this.node.replaceChildren(...rows);
    this.node.hidden = false;
    this.field.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
    rows[this.at]?.scrollIntoView({ block: "nearest" });
  }

  /** Handle a key of the field; returns true when the list used it up. */
  key(event) {
    if (!this.isOpen || event.isComposing || event.altKey) return false;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      this.at = (this.at + move + this.choices.length) % this.choices.length;
      this.draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      this.take(this.at);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  take(at, event) {
    event?.preventDefault();
    const { insert, shortcut } = this.choices[at];
    const { value, selectionStart } = this.field;
    this.field.setRangeText(insert, this.from, selectionStart, "end");
    if (value[selectionStart] === " ")
      this.field.setRangeText("", this.field.selectionStart, this.field.selectionStart + 1, "end");
    this.close();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    if (shortcut) this.run(shortcut);
  }

  close() {
    this.node.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }
}

function findEmoji(query) {
  return findNames(query, MOST).map((name) => ({
    insert: `${glyphOf(name)} `,
    nodes: [emoji(name), el("span", { text: `:${name}:` })],
  }));
}

function startsAWord(name, needle) {
  return (
    name
      .toLowerCase()
      .split(/[\s._-]+/u)
      .some((word) => word.startsWith(needle)) || name.toLowerCase().startsWith(needle)
  );
}

function fullName(user) {
  return user.real_name === personName(user.id) ? "" : (user.real_name ?? "");
}
