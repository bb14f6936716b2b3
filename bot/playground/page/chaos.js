/**
 * What shall go wrong: a dial from 0 to 10, single faults, the clock, the sockets.
 * Everything here is a knob of the control API; what is in force is read back from it.
 */
import { turn } from "./api.js";
import { el, fill } from "./dom.js";
import { CALL_FAULTS, EVENT_FAULTS, FIELDS, KINDS, sayFault, targetsOf } from "./chaos-words.js";
import { attempt } from "./toast.js";

const EVERY_MS = 2000;
const SCALES = [0, 1, 10, 60, 600];
const JUMPS = [
  ["1 min", 60],
  ["5 min", 300],
  ["1 h", 3600],
  ["12 h", 43_200],
];
const ENDINGS = [
  ["abort", "Drop"],
  ["mute", "Mute"],
  ["warning", "Warn"],
  ["refresh_requested", "Refresh"],
  ["link_disabled", "Disable"],
];

export class Chaos {
  constructor() {
    this.dial = new Dial((level) => this.setDial(level));
    this.inForce = el("ul", { class: "fault-list", "aria-label": "Faults in force" });
    this.clock = el("p", { class: "clock-now", role: "status" });
    this.scale = this.scaleChooser();
    this.sockets = el("ul", { class: "socket-list", "aria-label": "Sockets" });
    const drop = () => this.endSockets({ end: "abort" });
    const cards = [
      card("Dial", this.dial.node),
      card("A single fault", faultForm((fault) => this.addFault(fault))),
      card("In force", this.inForce, button("Clear all faults", () => this.addFault({ clear: true }))),
      card("Clock", this.clock, this.scale, this.jumps()),
      card("Sockets", this.sockets, button("Drop all sockets", drop)),
    ];
    this.node = el("section", { class: "chaos" }, el("div", { class: "chaos-cards" }, ...cards));
  }

  /** Read how things stand while somebody looks. */
  run(looking) {
    clearTimeout(this.timer);
    this.looking = looking;
    if (looking) this.read();
  }

  async read() {
    if (this.reading) return;
    this.reading = true;
    try {
      this.showFaults(await turn("faults"));
      this.showClock(await turn("clock"));
      this.showSockets(await turn("sockets"));
    } catch (error) {
      this.clock.textContent = error.message;
    }
    this.reading = false;
    if (this.looking) this.timer = setTimeout(() => this.read(), EVERY_MS);
  }

  // --- faults -----------------------------------------------------------------------------------

  async setDial(level) {
    const answer = await attempt(() => turn("faults", { dial: level }));
    if (answer) this.showFaults(answer);
    else this.read();
  }

  async addFault(fault) {
    const answer = await attempt(() => turn("faults", fault));
    if (answer) this.showFaults(answer);
  }

  showFaults({ faults, dial = 0 }) {
    this.dial.show(dial);
    const rows = faults.map((fault) => el("li", { text: sayFault(fault) }));
    const none = el("li", { class: "quiet", text: dial ? "Only the dial." : "Nothing goes wrong." });
    fill(this.inForce, ...(rows.length ? rows : [none]));
  }

  // --- clock ------------------------------------------------------------------------------------

  scaleChooser() {
    const words = { 0: "stands still", 1: "as the wall" };
    const options = SCALES.map((scale) =>
      el("option", { value: String(scale), text: words[scale] ?? `${scale} times as fast` }),
    );
    const set = (event) => this.turnClock({ scale: Number(event.target.value) });
    return el(
      "label",
      { class: "knob" },
      el("span", { text: "Runs" }),
      el("select", { class: "text-field", on: { change: set } }, ...options),
    );
  }

  jumps() {
    const buttons = JUMPS.map(([words, seconds]) =>
      button(`+ ${words}`, () => this.turnClock({ advance: seconds })),
    );
    return el("div", { class: "block-actions", role: "group", "aria-label": "Jump forward" }, ...buttons);
  }

  async turnClock(fields) {
    const answer = await attempt(() => turn("clock", fields));
    if (answer) this.showClock(answer);
  }

  showClock({ now, scale }) {
    this.clock.textContent = new Date(now * 1000).toLocaleString();
    const select = this.scale.querySelector("select");
    if (document.activeElement === select) return;
    if (![...select.options].some((option) => Number(option.value) === scale))
      select.append(el("option", { value: String(scale), text: `${scale} times as fast` }));
    select.value = String(scale);
  }

  // --- sockets ----------------------------------------------------------------------------------

  async endSockets(fields) {
    const answer = await attempt(() => turn("sockets", fields));
    if (answer) this.showSockets(answer);
  }

  showSockets({ sockets }) {
    const key = JSON.stringify(sockets);
    if (key === this.socketKey) return;
    this.socketKey = key;
    const rows = sockets.map(({ line, app, muted }) => {
      const buttons = ENDINGS.map(([end, words]) =>
        button(words, () => this.endSockets({ line, end }), { "aria-label": `${words} ${line}` }),
      );
      const words = el("span", { class: "socket-words" }, el("strong", { text: line }), ` ${app}`);
      if (muted) words.append(el("span", { class: "badge", text: "muted" }));
      return el("li", {}, words, el("span", { class: "socket-ends" }, ...buttons));
    });
    const none = el("li", { class: "quiet", text: "No app is connected." });
    fill(this.sockets, ...(rows.length ? rows : [none]));
  }
}

function button(text, click, props = {}) {
  return el("button", { type: "button", class: "button", text, ...props, on: { click } });
}

function card(title, ...inside) {
  return el("section", { class: "knobs", "aria-label": title }, el("h3", { text: title }), ...inside);
}

/** The dial: 0 is off; a word says what a number means. */
class Dial {
  constructor(set) {
    this.input = el("input", {
      type: "range",
      min: "0",
      max: "10",
      step: "1",
      class: "dial",
      "aria-label": "Chaos, 0 to 10",
    });
    this.words = el("output", { class: "dial-words" });
    this.input.addEventListener("input", () => this.say());
    this.input.addEventListener("change", () => set(Number(this.input.value)));
    const marks = [
      ["Off", 0],
      ["Mild", 3],
      ["Wild", 10],
    ].map(([text, level]) => button(text, () => set(level)));
    const group = el("div", { class: "block-actions", role: "group", "aria-label": "Dial" }, ...marks);
    this.node = el("div", { class: "dial-box" }, this.words, this.input, group);
    this.show(0);
  }

  show(level) {
    if (document.activeElement !== this.input) this.input.value = String(level);
    this.say();
  }

  say() {
    const level = Number(this.input.value);
    const name = level === 0 ? "off" : level <= 5 ? "mild" : "wild";
    this.words.textContent = `${level} · ${name}`;
    this.input.setAttribute("aria-valuetext", `${level}, ${name}`);
  }
}

// --- the form of one fault ------------------------------------------------------------------------

function faultForm(add) {
  const options = (kinds) =>
    kinds.map((kind) => el("option", { value: kind, text: KINDS[kind] ?? kind }));
  const kind = el(
    "select",
    { class: "text-field", name: "kind" },
    el("optgroup", { label: "Calls" }, ...options(CALL_FAULTS)),
    el("optgroup", { label: "Events" }, ...options(EVENT_FAULTS)),
    el("optgroup", { label: "Connection" }, ...options(["refuse"])),
  );
  const names = el("datalist", { id: "fault-targets" });
  const target = el("input", {
    class: "text-field",
    name: "target",
    value: "*",
    list: "fault-targets",
    autocomplete: "off",
  });
  const inputs = FIELDS.map(({ name, label, ...props }) =>
    knob(label, el("input", { class: "text-field", name, autocomplete: "off", ...props }), name),
  );
  const refresh = () => {
    const used = fieldsOf(kind.value);
    for (const input of inputs) input.hidden = !used.includes(input.dataset.field);
    fill(names, ...targetsOf(kind.value).map((value) => el("option", { value })));
    if (kind.value === "refuse") target.value = "dial";
    else if (target.value === "dial") target.value = "*";
  };
  kind.addEventListener("change", refresh);
  const send = (event) => {
    event.preventDefault();
    const fields = { kind: kind.value, target: target.value.trim() || "*" };
    for (const input of inputs.filter((one) => !one.hidden)) {
      const { value, type } = input.querySelector("input");
      fields[input.dataset.field] = type === "number" ? Number(value) : value;
    }
    add(fields);
  };
  const submit = el("button", { type: "submit", class: "button button-primary", text: "Add fault" });
  const form = el("form", { class: "fault-form", on: { submit: send } });
  form.append(knob("What", kind), knob("Where", target), names, ...inputs, submit);
  refresh();
  return form;
}

function knob(label, control, field = "") {
  return el("label", { class: "knob", data: { field } }, el("span", { text: label }), control);
}

/** Return which fields a kind of fault has besides its target. */
function fieldsOf(kind) {
  const own = { error: ["error"], status: ["status", "error"], rate_limited: ["seconds"] };
  const timed = ["timeout", "delay", "hold"].includes(kind) ? ["seconds"] : [];
  return ["count", "probability", ...(own[kind] ?? timed)];
}
