/**
 * What a person has filled in and not sent yet: the fields of one message, modal or Home.
 * Values travel simply (a string, a list of strings, a number for moments, null for nothing);
 * the workspace makes Slack's shapes from the blocks it holds.
 */
import { confirm } from "./dialogs.js";
import { confirmWords } from "./texts.js";

export class Form {
  constructor() {
    this.fields = new Map();
  }

  /** Begin a field with the app's own value, unless the person has given one already. */
  begin(block_id, action_id, value) {
    const key = `${block_id} ${action_id}`;
    const field = this.fields.get(key) ?? { block_id, action_id, own: false };
    if (!field.own) field.value = value;
    // What equals the app's own value may change with it.
    field.own = JSON.stringify(field.value) !== JSON.stringify(value);
    this.fields.set(key, field);
    return field;
  }

  /** Forget the fields of blocks that are gone. */
  keepOnly(blocks) {
    const there = new Set(idsOf(blocks));
    for (const [key, { block_id }] of this.fields) if (!there.has(block_id)) this.fields.delete(key);
  }

  /** Take over what the workspace already keeps of a view (`state.values`, in Slack's shapes). */
  restore(values = {}) {
    for (const [block_id, actions] of Object.entries(values)) {
      for (const [action_id, state] of Object.entries(actions)) {
        const value = simple(state);
        if (value !== undefined && value !== null)
          this.fields.set(`${block_id} ${action_id}`, { block_id, action_id, value, own: true });
      }
    }
  }

  /** Return all fields as `{block_id: {action_id: value}}`. */
  values() {
    const all = {};
    for (const { block_id, action_id, value } of this.fields.values()) {
      all[block_id] = { ...all[block_id], [action_id]: value };
    }
    return all;
  }
}

function idsOf(blocks) {
  return blocks.flatMap((block) => [
    block.block_id,
    ...idsOf(block.child_blocks ?? []),
    ...(block.type === "carousel" ? idsOf(block.elements ?? []) : []),
  ]);
}

/** Turn one entry of Slack's `state.values` into the simple value; undefined when it has none. */
function simple(state) {
  const found = Object.entries(state).find(([name]) => name.startsWith("selected_"));
  const value = found ? found[1] : state.value;
  if (Array.isArray(value)) return value.map((one) => one.value ?? one);
  return value?.value ?? (typeof value === "object" ? undefined : value);
}

/** One element that can be filled or chosen, with the block it stands in. */
export class Field {
  /** `how` as in `showBlocks`, with `label` and `tells` where an input block holds the element. */
  constructor(part, block, how, initial = null) {
    this.part = part;
    this.how = how;
    this.names = { block_id: block.block_id, action_id: part.action_id };
    this.entry = how.form.begin(block.block_id, part.action_id, initial);
    /** Whether a choice is told at once: not in an input block, unless it asks for it. */
    this.tells = how.label ? Boolean(block.dispatch_action) : true;
    this.optional = how.label ? Boolean(block.optional) : false;
  }

  get value() {
    return this.entry.value;
  }

  /** Keep a value without telling anybody. */
  keep(value) {
    Object.assign(this.entry, { value, own: true });
  }

  /** Keep a value and tell the app where Slack would; false when the person took it back. */
  async choose(value) {
    const before = this.value;
    this.keep(value);
    if (!this.tells) return true;
    if (!(await askFirst(this.part))) {
      this.keep(before);
      return false;
    }
    this.tell(value);
    return true;
  }

  tell(value = this.value) {
    return this.how.press({ ...this.names, value, values: this.how.form.values() });
  }

  /** Name the control for those who do not see it: by its label, else by its placeholder. */
  get naming() {
    const { label } = this.how;
    if (label) return { "aria-labelledby": label.id, "aria-describedby": label.about };
    return { "aria-label": this.part.placeholder?.text ?? this.part.action_id ?? this.part.type };
  }
}

/** Ask the element's own question (`confirm`), if it has one; resolves to true to go on. */
export async function askFirst(part) {
  return !part.confirm || confirm(confirmWords(part.confirm));
}
