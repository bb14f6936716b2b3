/**
 * The list that opens while one types `@`, `/`, `#` or `:` in a text field: a listbox that the field
 * points to, moved by ↑ and ↓, taken with Enter or Tab.
 */
import { el } from "./dom.js";
import { emoji, findNames, glyphOf } from "./emoji.js";
import { personName } from "./names.js";
import { avatar, badge } from "./people.js";

const MOST = 8;
let last = 0;

export class Completion {
  /** Attach to a textarea; `commands` says whether slash commands are offered here. */
  constructor(field, store, { commands = true } = {}) {
    this.field = field;
    this.store = store;
    this.commands = commands;
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
    const command = this.commands && before.match(/^(\/)(\S*)$/u);
    if (command) return this.findCommands(command[2]);
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
          el("span", { class: "quiet", text: usage_hint || description }),
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
    const { insert } = this.choices[at];
    const { value, selectionStart } = this.field;
    this.field.setRangeText(insert, this.from, selectionStart, "end");
    if (value[selectionStart] === " ")
      this.field.setRangeText("", this.field.selectionStart, this.field.selectionStart + 1, "end");
    this.close();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
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
