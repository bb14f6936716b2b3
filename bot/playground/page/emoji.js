/**
 * Emoji: Slack's short names to Unicode and back, with skin tones and aliases.
 * The table is the common set, not all of Unicode; a name that is not in it is shown as `:name:`.
 */
import { el } from "./dom.js";

// "name glyph name glyph ..." by shelf of the picker; the first shelf is what Deskmate itself uses.
const SHELVES = {
  Signs:
    "white_check_mark ✅ pencil2 ✏️ x ❌ octagonal_sign 🛑 eyes 👀 pushpin 📌 wastebasket 🗑️ " +
    "+1 👍 -1 👎",
  People:
    "wave 👋 clap 👏 raised_hands 🙌 pray 🙏 ok_hand 👌 v ✌️ muscle 💪 point_up ☝️ " +
    "point_right 👉 point_left 👈 point_down 👇 point_up_2 👆 fist ✊ handshake 🤝 " +
    "writing_hand ✍️ crossed_fingers 🤞 call_me_hand 🤙 shrug 🤷 facepalm 🤦 hand ✋ " +
    "facepunch 👊 runner 🏃",
  Faces:
    "grinning 😀 smiley 😃 smile 😄 grin 😁 laughing 😆 joy 😂 rolling_on_the_floor_laughing 🤣 " +
    "slightly_smiling_face 🙂 upside_down_face 🙃 wink 😉 blush 😊 innocent 😇 heart_eyes 😍 " +
    "yum 😋 thinking_face 🤔 smirk 😏 grimacing 😬 relieved 😌 sleeping 😴 partying_face 🥳 " +
    "sunglasses 😎 nerd_face 🤓 confused 😕 cry 😢 sob 😭 scream 😱 sweat 😓 sweat_smile 😅 " +
    "skull 💀 ghost 👻 robot_face 🤖 hugging_face 🤗 face_with_monocle 🧐 angry 😠 cold_sweat 😰 " +
    "frowning 😦 slightly_frowning_face 🙁 relaxed ☺️ zipper_mouth_face 🤐 alien 👽",
  Nature:
    "dog 🐶 penguin 🐧 bug 🐛 snail 🐌 turtle 🐢 seedling 🌱 sunny ☀️ cloud ☁️ snowflake ❄️ " +
    "rainbow 🌈 fire 🔥 star ⭐ sparkles ✨ zap ⚡ frog 🐸 rabbit 🐰 squirrel 🐿️ unicorn_face 🦄 " +
    "cherry_blossom 🌸 palm_tree 🌴 leaves 🍃 hot_pepper 🌶️ tangerine 🍊 tomato 🍅 full_moon 🌕 " +
    "dizzy 💫 star2 🌟 boom 💥 mountain ⛰️",
  Things:
    "coffee ☕ tea 🍵 beer 🍺 pizza 🍕 cookie 🍪 cake 🍰 tada 🎉 gift 🎁 trophy 🏆 dart 🎯 bulb 💡 " +
    "wrench 🔧 hammer 🔨 gear ⚙️ mag 🔍 lock 🔒 unlock 🔓 key 🔑 bell 🔔 memo 📝 book 📖 books 📚 " +
    "clipboard 📋 file_folder 📁 calendar 📆 chart_with_upwards_trend 📈 " +
    "chart_with_downwards_trend 📉 bar_chart 📊 paperclip 📎 link 🔗 package 📦 mailbox 📫 " +
    "speech_balloon 💬 thought_balloon 💭 computer 💻 keyboard ⌨️ phone ☎️ battery 🔋 " +
    "camera 📷 hourglass ⌛ stopwatch ⏱️ alarm_clock ⏰ ship 🚢 rocket 🚀 airplane ✈️ car 🚗 " +
    "bike 🚲 construction 🚧 rotating_light 🚨 test_tube 🧪 broom 🧹 umbrella ☂️ birthday 🎂 " +
    "beers 🍻 confetti_ball 🎊 first_place_medal 🥇 crown 👑 gem 💎 art 🎨 bomb 💣 scissors ✂️ " +
    "shield 🛡️ tools 🛠️ anchor ⚓ telescope 🔭 satellite 📡 floppy_disk 💾 " +
    "desktop_computer 🖥️ newspaper 📰 scroll 📜 bookmark 🔖 label 🏷️ date 📅 inbox_tray 📥 " +
    "outbox_tray 📤 mega 📣 moneybag 💰 ticket 🎫 house 🏠 office 🏢 school 🏫 door 🚪 " +
    "ambulance 🚑 fireworks 🎆 checkered_flag 🏁",
  Symbols:
    "heart ❤️ orange_heart 🧡 yellow_heart 💛 green_heart 💚 broken_heart 💔 100 💯 " +
    "heavy_check_mark ✔️ ballot_box_with_check ☑️ heavy_plus_sign ➕ heavy_minus_sign ➖ " +
    "question ❓ exclamation ❗ warning ⚠️ no_entry ⛔ no_entry_sign 🚫 recycle ♻️ " +
    "arrow_right ➡️ arrow_left ⬅️ arrow_up ⬆️ arrow_down ⬇️ repeat 🔁 fast_forward ⏩ " +
    "arrow_forward ▶️ red_circle 🔴 large_orange_circle 🟠 large_yellow_circle 🟡 " +
    "large_green_circle 🟢 large_blue_circle 🔵 white_circle ⚪ information_source ℹ️ ok 🆗 " +
    "zzz 💤 one 1️⃣ two 2️⃣ three 3️⃣ four 4️⃣ five 5️⃣ white_heart 🤍 bangbang ‼️ " +
    "arrows_counterclockwise 🔄 large_red_square 🟥 mute 🔇 no_bell 🔕 back 🔙 zero 0️⃣ " +
    "six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣",
};

const ALIASES = {
  thumbsup: "+1",
  thumbsdown: "-1",
  thinking: "thinking_face",
  robot: "robot_face",
  stop_sign: "octagonal_sign",
  simple_smile: "slightly_smiling_face",
  pencil: "memo",
  telephone: "phone",
  raised_hand: "hand",
  shipit: "squirrel",
};

const TONED = new Set(
  (
    "+1 -1 wave clap raised_hands pray ok_hand v muscle point_up point_right point_left point_down " +
    "point_up_2 hand fist facepunch writing_hand crossed_fingers call_me_hand shrug"
  ).split(" "),
);

/** The five modifiers, in Slack's numbering: index 0 is `skin-tone-2`. */
const TONES = ["🏻", "🏼", "🏽", "🏾", "🏿"];
const VARIATION = /\uFE0F/gu;
const TONE = /[\u{1F3FB}-\u{1F3FF}]/u;

const glyphs = new Map();
const names = new Map();
for (const line of Object.values(SHELVES)) {
  const words = line.split(" ");
  for (let at = 0; at < words.length; at += 2) glyphs.set(words[at], words[at + 1]);
}
for (const [name, glyph] of glyphs) names.set(glyph.replace(VARIATION, ""), name);

/** The picker's shelves in order: `{title, names}`. */
export const shelves = Object.entries(SHELVES).map(([title, line]) => ({
  title,
  names: line.split(" ").filter((_, at) => at % 2 === 0),
}));

/** Split `+1::skin-tone-3` into its base name (aliases resolved) and tone number (0 = none). */
export function parseName(name) {
  const [base, tone] = name.replace(/^:|:$/g, "").split("::skin-tone-");
  return { base: ALIASES[base] ?? base, tone: tone ? Number(tone) : 0 };
}

/** Return the Unicode of a short name, or null when the table does not know it. */
export function glyphOf(name) {
  const { base, tone } = parseName(name);
  const glyph = glyphs.get(base);
  if (!glyph) return null;
  const modifier = TONES[tone - 2];
  if (!modifier || !TONED.has(base)) return glyph;
  const [first, ...rest] = [...glyph.replace(VARIATION, "")];
  return [first, modifier, ...rest].join("");
}

/** Return the short name of a Unicode emoji, with its skin tone, or null. */
export function nameOf(glyph) {
  const tone = glyph.match(TONE)?.[0];
  const base = names.get(glyph.replace(VARIATION, "").replace(TONE, ""));
  if (!base) return null;
  return tone && TONED.has(base) ? `${base}::skin-tone-${TONES.indexOf(tone) + 2}` : base;
}

/** Say whether people pick a skin tone for this emoji. */
export function takesTone(name) {
  return TONED.has(parseName(name).base);
}

/** Find short names whose name contains the words; names that begin with them come first. */
export function findNames(query, limit = 60) {
  const needle = query
    .toLowerCase()
    .trim()
    .replace(/[:\s]+/g, "_")
    .replace(/^_|_$/g, "");
  const found = [...glyphs.keys()].filter((name) => name.includes(needle));
  for (const [alias, name] of Object.entries(ALIASES)) {
    if (alias.includes(needle) && glyphs.has(name) && !found.includes(name)) found.push(name);
  }
  return found
    .sort((a, b) => Number(b.startsWith(needle)) - Number(a.startsWith(needle)))
    .slice(0, limit);
}

let coloured = null;

/** Say whether this machine has an emoji font at all: without one, names are shown, not boxes. */
function hasEmojiFont() {
  if (coloured !== null) return coloured;
  const pen = Object.assign(document.createElement("canvas"), { width: 20, height: 20 });
  const context = pen.getContext("2d", { willReadFrequently: true });
  context.font = "16px sans-serif";
  context.textBaseline = "top";
  context.fillText("👀🛑", 0, 0);
  // A colour font paints more than the black of the pen; a missing glyph is a black box.
  const pixels = context.getImageData(0, 0, 20, 20).data;
  coloured = pixels.some((value, at) => at % 4 === 0 && value > 40);
  return coloured;
}

/** Draw one emoji by short name, readable by a screen reader as its name. */
export function emoji(name) {
  const glyph = hasEmojiFont() ? glyphOf(name) : null;
  const words = parseName(name).base.replaceAll("_", " ");
  if (!glyph) return el("span", { class: "emoji-name", text: `:${name}:` });
  return el("span", {
    class: "emoji",
    role: "img",
    "aria-label": words,
    title: `:${name}:`,
    text: glyph,
  });
}
