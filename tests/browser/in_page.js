// What the tests of the page's text run inside the page: evaluates to a table of functions.
(async () => {
  const { showMarkdown } = await import("/static/markdown.js");
  const { mrkdwn } = await import("/static/mrkdwn.js");
  const { glyphOf, nameOf, shelves } = await import("/static/emoji.js");
  const make = () => document.createElement("div");
  const LIVE = /^(SCRIPT|IFRAME|IMG|SVG|OBJECT|STYLE|LINK|FORM)$/i;

  /** List what could run or load in a box: there should be nothing. */
  function liveIn(box) {
    const found = [];
    for (const node of box.querySelectorAll("*")) {
      if (LIVE.test(node.nodeName)) found.push(node.nodeName);
      for (const { name, value } of node.attributes) {
        if (/^on|^style$|^src/i.test(name)) found.push(name);
        if (name === "href" && !/^(https?:|mailto:|#\/)/.test(value)) found.push(value);
      }
    }
    return found;
  }

  function draw(text, dialect) {
    const box = make();
    if (dialect === "mrkdwn") box.append(...mrkdwn(text));
    else showMarkdown(box, text, dialect === "growing");
    return box;
  }

  function randomText(next) {
    const parts = [
      ..."*_`|<>!\\ \t", "**", "~~", "```", "\n", "\n\n", "- ", "  - ", "1. ", "> ", "# ", "|-|-|",
      "[", "](", ")", "javascript:x", "<script>", "&lt;", "word", "中文", "    ", "---", "===",
      "https://x.example", ":tada:", "<@U1>", "[ ] ",
    ];
    const length = 2 + next() * 30;
    return Array.from({ length }, () => parts[Math.floor(next() * parts.length)]).join("");
  }

  return {
    html: (text, dialect) => draw(text, dialect).innerHTML,

    /** Draw a text for real and tell what is live, what ran, and whether its letters are there. */
    async attack(text, dialect) {
      const box = draw(text, dialect);
      document.body.append(box);
      await new Promise((resolve) => setTimeout(resolve, 50));
      box.remove();
      return [liveIn(box), window.ran ?? null, box.textContent.includes("<script>")];
    },

    /** Draw random texts, growing and whole, and tell where the two differ or something is live. */
    fuzz(rounds) {
      let seed = 7;
      const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
      const bad = [];
      for (let round = 0; round < rounds; round += 1) {
        const text = randomText(next);
        const grown = make();
        for (let end = 1; end <= text.length; end += 7) showMarkdown(grown, text.slice(0, end), true);
        showMarkdown(grown, text);
        const whole = draw(text, "markdown");
        if (grown.innerHTML !== whole.innerHTML) bad.push(["grown differs", text]);
        for (const box of [grown, whole, draw(text, "mrkdwn")]) bad.push(...liveIn(box));
      }
      return bad;
    },

    spent(text) {
      const from = performance.now();
      draw(text, "growing");
      return performance.now() - from;
    },

    /** Draw two versions of a growing text and tell which blocks kept their nodes. */
    kept(first, second) {
      const box = draw(first, "growing");
      const before = [...box.childNodes];
      showMarkdown(box, second, true);
      return [...box.childNodes].map((node, at) => node === before[at]);
    },

    emoji() {
      const names = shelves.flatMap((shelf) => shelf.names);
      return {
        lost: names.filter((name) => nameOf(glyphOf(name)) !== name),
        signs: shelves[0].names.map(glyphOf).join(" "),
        tones: ["👍🏿", "✏", "🗑"].map(nameOf),
        alias: glyphOf("thumbsup::skin-tone-2"),
      };
    },
  };
})()
