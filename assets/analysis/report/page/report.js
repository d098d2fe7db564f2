"use strict";
// Everything that data says is put into the page as text: by textContent and attributes, never as markup.
(() => {
  const byId = (id) => document.getElementById(id);

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
  }

  // Something that data says beside the page's words, whose direction of writing it cannot turn.
  const data = (text) => el("bdi", {}, text === null ? "" : text);

  // Tables: a heading sorts, by click, Enter or space; what has no value stays last.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("table.sorts th button");
    if (!button) return;
    const head = button.closest("th"), table = button.closest("table"), body = table.tBodies[0];
    const numeric = head.classList.contains("number"), now = head.getAttribute("aria-sort");
    const down = now === "none" ? numeric : now === "ascending";
    const value = (row) => row.cells[head.cellIndex].dataset.by;
    const rows = [...body.rows].sort((one, other) => {
      const a = value(one), b = value(other);
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      const order = numeric ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
      return down ? -order : order;
    });
    for (const each of table.tHead.rows[0].cells) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows);
  });

  // Samples.
  const index = JSON.parse(byId("index").textContent);
  const total = index.ids.length;
  window.cotline = { ready: performance.now(), filtered: 0 };
  if (!total) return;
  const HEIGHT = 56, SPARE = 8, CHUNKS = 24, NONE = "–";
  const form = byId("filters"), list = byId("list"), rows = byId("rows"), pane = byId("sample");
  const field = form.elements;
  byId("browser").hidden = false;

  const groupOf = new Uint16Array(total);
  index.groups.forEach(([, , , start, count], number) => groupOf.fill(number, start, start + count));
  const evaluations = index.evaluations.filter((one) => one.group >= 0);
  const asked = index.groups.map((_, number) => evaluations.filter((one) => one.group === number));
  evaluations.forEach((one) => { one.start = index.groups[one.group][3]; one.number = index.evaluations.indexOf(one); });
  const at = (one, column, sample) => one[column][sample - one.start];
  const statusOf = (code) => index.statuses[code.charCodeAt(0) - 97];

  // Of each sample the letter that most evaluations read (strict), and the share of those with a letter that have it.
  const share = new Float32Array(total).fill(-1), most = new Array(total).fill("");
  const rights = new Uint16Array(total), asks = new Uint16Array(total);
  for (let sample = 0; sample < total; sample++) {
    const votes = {};
    let count = 0;
    for (const one of asked[groupOf[sample]]) {
      const letter = at(one, "strict", sample), right = at(one, "right", sample);
      if (right !== " ") { asks[sample]++; rights[sample] += right >> 1; }
      if (letter !== " " && letter !== "-") { votes[letter] = (votes[letter] || 0) + 1; count++; }
    }
    for (const letter of Object.keys(votes).sort()) {
      if (votes[letter] / count > share[sample]) { share[sample] = votes[letter] / count; most[sample] = letter; }
    }
    if (count < 2) share[sample] = -1;
  }

  // Chunks: base64 of raw deflate of JSON in elements further down, which may not have been read yet.
  const parsed = new Promise((done) => {
    if (document.readyState !== "loading") done();
    else document.addEventListener("DOMContentLoaded", () => done());
  });
  const kept = new Map();

  async function content(name) {
    if (!byId(name)) await parsed;
    const holder = byId(name);
    return holder && holder.textContent;
  }

  async function inflated(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  }

  function chunk(name) {
    if (kept.has(name)) return kept.get(name);
    const found = content(name).then((packed) => packed && inflated(packed));
    kept.set(name, found);
    for (const old of kept.keys()) {
      if (kept.size <= CHUNKS) break;
      kept.delete(old);
    }
    return found;
  }

  // Search: of samples their own texts, of replies what models said; read when they are first searched.
  let sampleWords = null, replyWords = null;

  function sampleTexts() {
    sampleWords = sampleWords || (async () => {
      const words = [];
      for (let number = 0; number * index.texts < total; number++) {
        const held = await content("t" + number).then((packed) => packed && inflated(packed));
        for (let place = number * index.texts; place < Math.min(total, (number + 1) * index.texts); place++) {
          const said = held ? held[place - number * index.texts] : {};
          const rationale = (said.r || []).filter((part) => typeof part === "string");
          const texts = [index.ids[place], said.q, said.c, ...(said.o || []), said.k, ...rationale];
          words.push(texts.filter(Boolean).join("\n").toLowerCase());
        }
      }
      return words;
    })();
    return sampleWords;
  }

  function replyTexts() {
    replyWords = replyWords || (async () => {
      const words = index.evaluations.map(() => ({}));
      for (let number = 0; number * index.dialogues < total; number++) {
        const packed = await content("d" + number);
        if (!packed) continue;
        const held = await inflated(packed);
        held.of.forEach((replies, place) => {
          for (const [evaluation, several] of Object.entries(replies)) {
            const texts = several.flatMap((reply) => reply[2].filter((turn) => turn[0]).flatMap((turn) => turn[1]));
            words[evaluation][number * index.dialogues + place] =
              texts.map((text) => (text < 0 ? "" : held.texts[text])).join("\n").toLowerCase();
          }
        });
      }
      return words;
    })();
    return replyWords;
  }

  // Filters.
  let shown = [], current = -1, sides = ["", ""], asking = 0;

  function options(select, entries) {
    select.replaceChildren(...entries.map(([value, name]) => el("option", { value }, name)));
  }
  const groupName = (group) => group.slice(0, 3).join(" ");
  options(field.group, [["", "all"], ...index.groups.map((group, number) => [number, `${groupName(group)} (${group[4]})`])]);
  options(field.topic, [["", "all"], ...index.topics.map((topic, number) => [number, topic])]);
  options(field.evaluation, [["", "any"], ...evaluations.map((one) => [one.number, one.name])]);
  options(field.status, [["", "any"], ...index.statuses.map((status, number) => [number, status])]);

  const RIGHT = { right: "23", wrong: "01", paper: "1", strict: "2" };

  function fits(one, sample, wanted) {
    const right = at(one, "right", sample);
    return right !== " " &&
      (wanted.status === "" || at(one, "status", sample) === wanted.status) &&
      (wanted.right === "" || wanted.right.includes(right)) &&
      (!wanted.apart || at(one, "paper", sample) !== at(one, "strict", sample));
  }

  const MODELS = {
    all: (sample) => share[sample] === 1,
    most: (sample) => share[sample] > 0.5,
    split: (sample) => share[sample] >= 0 && share[sample] <= 0.5,
    against: (sample) => share[sample] > 0.5 && most[sample] !== index.labels[sample],
  };

  async function filter() {
    const mine = ++asking;
    const words = field.words.value.toLowerCase().split(/\s+/).filter(Boolean), replies = field.where.value === "replies";
    let texts = null;
    if (words.length) {
      if (typeof DecompressionStream === "undefined") byId("found").textContent = UNABLE;
      if (typeof DecompressionStream === "undefined") return;
      if (replies && !replyWords) byId("found").textContent = "Reading all replies once to search them…";
      texts = await (replies ? replyTexts() : sampleTexts());
      if (mine !== asking) return;
    }
    const began = performance.now();
    const group = field.group.value, topic = field.topic.value, models = MODELS[field.models.value];
    const wanted = {
      status: field.status.value === "" ? "" : String.fromCharCode(97 + Number(field.status.value)),
      right: RIGHT[field.right.value] || "",
      apart: field.apart.checked,
    };
    const only = field.evaluation.value === "" ? null : index.evaluations[field.evaluation.value];
    const every = wanted.status === "" && wanted.right === "" && !wanted.apart;
    const said = (text) => text !== undefined && words.every((word) => text.includes(word));
    const found = [];
    for (let sample = 0; sample < total; sample++) {
      if (group !== "" && groupOf[sample] !== Number(group)) continue;
      if (topic !== "" && index.topic[sample] !== Number(topic)) continue;
      if (models && !models(sample)) continue;
      if (texts && !replies && !said(texts[sample])) continue;
      const those = only ? (only.group === groupOf[sample] ? [only] : []) : asked[groupOf[sample]];
      const searched = texts && replies;
      if ((!every || only || searched) &&
          !those.some((one) => fits(one, sample, wanted) && (!searched || said(texts[one.number][sample])))) continue;
      found.push(sample);
    }
    shown = found;
    if (only && !sides.includes(only.name)) sides = [only.name, sides[1]];
    list.scrollTop = 0;
    rows.style.height = `${shown.length * HEIGHT}px`;
    paint();
    byId("found").textContent = `${shown.length.toLocaleString("en")} of ${total.toLocaleString("en")} samples`;
    if (!shown.length) nobody("No sample fits.");
    else if (shown.includes(current)) select(current, true);
    else select(shown[0], true);
    window.cotline.filtered = performance.now() - began;
    window.cotline.answers = (window.cotline.answers || 0) + 1;
  }

  let waiting = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (event.target === field.words) waiting = setTimeout(filter, 60);
    else filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));

  // The list holds only the rows that can be seen.
  let painted = false;

  function paint() {
    painted = false;
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + SPARE);
    rows.replaceChildren(...shown.slice(first, last).map((sample, place) => {
      const chosen = sample === current;
      const attributes = {
        class: "row", role: "option", id: `row-${sample}`, "aria-selected": chosen, "data-sample": sample,
        "aria-setsize": shown.length, "aria-posinset": first + place + 1, style: `top:${(first + place) * HEIGHT}px`,
      };
      const right = asks[sample] ? `${rights[sample]} of ${asks[sample]} right` : index.topics[index.topic[sample]];
      return el("div", attributes, el("i", { title: right }, right), el("b", { title: index.ids[sample] }, index.ids[sample]),
        el("span", {}, index.heads[sample]));
    }));
    const row = byId(`row-${current}`);
    if (row) list.setAttribute("aria-activedescendant", row.id);
    else list.removeAttribute("aria-activedescendant");
  }
  list.addEventListener("scroll", () => {
    if (!painted) requestAnimationFrame(paint);
    painted = true;
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) select(Number(row.dataset.sample), true);
  });

  function reveal() {
    const place = shown.indexOf(current);
    if (place < 0) return;
    const top = place * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    paint();
  }

  function place(sample) {
    const [benchmark, edition] = index.groups[groupOf[sample]];
    return `#sample/${[benchmark, edition, index.ids[sample]].map(encodeURIComponent).join("/")}`;
  }

  function select(sample, said) {
    current = sample;
    reveal();
    // an address that names the sample already may name an evaluation too
    if (said && location.hash.split("?")[0] !== place(sample)) history.replaceState(null, "", place(sample));
    show(sample);
  }

  // In the pane why it shows no sample; an address that names one would be wrong.
  function nobody(why) {
    current = -1;
    if (location.hash.startsWith("#sample/")) history.replaceState(null, "", "#samples");
    const hadFocus = pane.contains(document.activeElement);
    pane.replaceChildren(steps().bar, el("p", { class: "absent" }, why));
    delete pane.dataset.sample;
    if (hadFocus) pane.focus();
    paint();
  }

  function steps() {
    const before = el("button", { type: "button" }, "Previous"), after = el("button", { type: "button" }, "Next");
    before.addEventListener("click", () => { move(-1); });
    after.addEventListener("click", () => { move(1); });
    before.disabled = after.disabled = !shown.length;
    return { bar: el("div", { class: "steps" }, before, after), before, after };
  }

  function move(by) {
    const next = shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(current) + by))];
    if (next !== undefined && next !== current) select(next, true);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const box = byId("panes").getBoundingClientRect();
    const within = byId("browser").contains(event.target);
    if (!within && (box.top > innerHeight || box.bottom < 0)) return;
    const inList = event.target === list;
    const page = Math.max(1, Math.floor(list.clientHeight / HEIGHT) - 1);
    const sideways = within && !event.target.closest(".scroll");
    const by = { j: 1, k: -1, ...(sideways && { ArrowRight: 1, ArrowLeft: -1 }), ...(inList && {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }) }[event.key];
    if (event.key === "/") field.words.focus();
    else if (by !== undefined) move(by);
    else return;
    event.preventDefault();
  });

  // One sample.
  const UNABLE = "This browser cannot inflate what the page holds (it has no DecompressionStream): open it in a newer one.";

  async function picture(number, words) {
    const held = await content("p" + number);
    if (!held) return el("span", { class: "absent" }, "[a picture that is not on this page]");
    return el("img", { src: `data:image/webp;base64,${held}`, alt: words });
  }

  async function pictures(numbers, words) {
    if (!numbers || !numbers.length) return null;
    const made = await Promise.all(numbers.map((number, place) => picture(number, `${words} ${place + 1}`)));
    return el("div", { class: "pictures" }, made);
  }

  async function inOrder(parts, words) {
    return Promise.all(parts.map((part) => typeof part === "string" ? part : picture(part, words)));
  }

  // Spans count characters as Python does: a character outside the basic plane is one there and two here.
  function places(text, spans) {
    const found = new Map(), wanted = new Set(spans.flat());
    let units = 0, characters = 0;
    for (const letter of text) {
      if (wanted.has(characters)) found.set(characters, units);
      units += letter.length;
      characters++;
    }
    return (character) => found.has(character) ? found.get(character) : text.length;
  }

  function marked(text, paper, strict) {
    const spans = [paper && paper[2], strict && strict[2]];
    const unit = places(text, spans.filter(Boolean));
    const [published, grammar] = spans.map((span) => span && span.map(unit));
    const cuts = [...new Set([0, text.length, ...(published || []), ...(grammar || [])])].sort((a, b) => a - b);
    return cuts.slice(1).map((end, number) => {
      const start = cuts[number], piece = text.slice(start, end);
      const kinds = [published && published[0] <= start && end <= published[1] && "paper",
        grammar && grammar[0] <= start && end <= grammar[1] && "strict"].filter(Boolean);
      return kinds.length ? el("mark", { class: kinds.join(" ") }, piece) : piece;
    });
  }

  function reading(name, read) {
    if (!read) return el("li", {}, `${name}: not read (the reply is not counted)`);
    const [letter, rule, , status, counted, correct] = read;
    const end = letter ? `${letter}, ${correct ? "right" : "wrong"}` : status;
    return el("li", {}, el("b", {}, `${name}: ${end}`), ` by rule ${rule}${counted ? "" : ", not counted"}`);
  }

  async function turn([role, parts], texts, last, paper, strict) {
    const own = parts.filter((part) => part >= 0).map((part) => texts[part]);
    let body;
    if (last) {
      // The scored reply: its texts are one, and the spans are of that.
      const drawn = await Promise.all(parts.filter((part) => part < 0).map((part) => picture(-1 - part, "Picture of the reply")));
      body = [...marked(own.join(""), paper, strict), ...(drawn.length ? [el("div", { class: "pictures" }, drawn)] : [])];
    } else {
      body = await Promise.all(parts.map((part) => part >= 0 ? texts[part] : picture(-1 - part, "Picture of the dialogue")));
    }
    const said = el("div", { class: "said" }, body.length ? body : el("span", { class: "absent" }, "[nothing that is text]"));
    if (role === 1) return el("div", { class: "turn model" }, el("div", { class: "who" }, last ? "model, scored" : "model"), said);
    if (role) return el("div", { class: `turn ${index.roles[role]}` }, el("div", { class: "who" }, index.roles[role]), said);
    const length = own.join("").length;
    if (length < 200) return el("div", { class: "turn" }, el("div", { class: "who" }, "prompt"), said);
    return el("details", { class: "turn" }, el("summary", {}, `prompt, ${length.toLocaleString("en")} characters`), said);
  }

  async function side(place, sample, held) {
    const of = asked[groupOf[sample]], one = of.find((each) => each.name === sides[place]);
    const chosen = el("select", { "aria-label": `Evaluation ${"AB"[place]}` });
    options(chosen, of.map((each) => [each.name, each.name]));
    if (one) chosen.value = one.name;
    chosen.addEventListener("change", () => { sides[place] = chosen.value; show(sample, `select[aria-label="Evaluation ${"AB"[place]}"]`); });
    const made = el("div", { class: "side" }, el("label", {}, `${"AB"[place]} `, chosen));
    if (!one) return made;
    made.append(el("div", { class: "who" }, data(one.model), `, ${one.strategy}, ${one.shots} shots`));
    if (!held) made.append(el("p", { class: "absent" }, "Its dialogues are not on this page."));
    const replies = held && held.of[sample % index.dialogues][one.number];
    if (held && !replies) made.append(el("p", { class: "absent" }, at(one, "status", sample) === " " ? "Not asked." : "No reply."));
    for (const [line, status, turns, paper, strict, choices] of replies || []) {
      const other = (choices || []).flatMap((choice, number) => [` (${String.fromCharCode(65 + number)}) `, data(choice)]);
      const reply = el("div", { class: "reply" }, el("ul", { class: "facts" },
        el("li", {}, `line ${line}, status ${status}`), reading("published rule", paper), reading("strict grammar", strict),
        choices ? el("li", {}, el("b", {}, "asked with other options:"), other) : null));
      const made_of = await Promise.all(turns.map((each, number) =>
        turn(each, held.texts, number === turns.length - 1, paper, strict)));
      reply.append(...(made_of.length ? made_of : [el("p", { class: "absent" }, "[no dialogue recorded]")]));
      made.append(reply);
    }
    return made;
  }

  function everyone(sample) {
    const of = asked[groupOf[sample]];
    const head = el("tr", {}, ...["evaluation", "show", "status", "published rule", "strict grammar"].map((name) => el("th", { scope: "col" }, name)));
    const body = of.map((one) => {
      const right = at(one, "right", sample), status = at(one, "status", sample);
      const letter = (column, bit) => {
        const read = at(one, column, sample);
        return read === " " ? NONE : read === "-" ? "none" : `${read} ${right & bit ? "right" : "wrong"}`;
      };
      const buttons = [0, 1].map((place) => {
        const attributes = { type: "button", "aria-pressed": sides[place] === one.name, "aria-label": `${one.name} as ${"AB"[place]}` };
        const button = el("button", attributes, "AB"[place]);
        button.addEventListener("click", () => { sides[place] = one.name; show(sample, `[aria-label="${one.name} as ${"AB"[place]}"]`); });
        return button;
      });
      return el("tr", {}, el("th", { scope: "row" }, one.name), el("td", {}, buttons),
        el("td", {}, status === " " ? "not asked" : statusOf(status)), el("td", {}, letter("paper", 1)), el("td", {}, letter("strict", 2)));
    });
    return el("details", { class: "all", ...(of.length < 13 && { open: "" }) }, el("summary", {}, `all ${of.length} evaluations`),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All evaluations of this sample" },
        el("table", {}, el("thead", {}, head), el("tbody", {}, body))));
  }

  async function show(sample, focus) {
    if (typeof DecompressionStream === "undefined") {
      pane.replaceChildren(el("p", {}, UNABLE));
      return;
    }
    const of = asked[groupOf[sample]];
    sides = sides.map((name, place) => of.some((one) => one.name === name) ? name : (of[place] || of[0] || { name: "" }).name);
    const [texts, held] = await Promise.all([
      chunk("t" + Math.floor(sample / index.texts)), of.length ? chunk("d" + Math.floor(sample / index.dialogues)) : null]);
    if (sample !== current) return;
    const said = texts ? texts[sample % index.texts] : {};
    const [benchmark, edition, split] = index.groups[groupOf[sample]];
    const label = index.labels[sample];
    const choices = await Promise.all((said.o || []).map(async (text, number) => {
      const letter = String.fromCharCode(65 + number), right = letter === label;
      const drawn = said.oi && said.oi[number] !== undefined ? await picture(said.oi[number], `Option ${letter}`) : null;
      return el("li", right ? { class: "label" } : {}, `(${letter}) `, data(text), drawn, right ? el("span", { class: "who" }, "  label") : null);
    }));
    const { bar, before, after } = steps();
    const facts = [benchmark, edition, split, said.d, index.topics[index.topic[sample]], said.k, said.s, said.p];
    const made = [
      bar,
      el("h3", {}, index.ids[sample]),
      el("p", { class: "who" }, [...new Set(facts.filter(Boolean))].flatMap((fact, number) => [number ? " · " : "", data(fact)])),
      texts ? null : el("p", { class: "absent" }, "Its texts are not on this page, which would have grown too large."),
      await pictures(said.i, "Picture of the question"),
      said.c ? el("p", { class: "said" }, said.c) : null,
      el("p", { class: "said" }, el("b", {}, said.q || "")),
      el("ul", { class: "options" }, choices),
      said.r && said.r.length ? el("details", { class: "gold", open: "" }, el("summary", {}, "gold rationale"),
        el("div", { class: "said" }, await inOrder(said.r, "Picture of the rationale"))) : null,
      of.length ? el("div", { class: "sides" }, await side(0, sample, held), of.length > 1 ? await side(1, sample, held) : null)
        : el("p", { class: "absent" }, "No evaluation was asked this sample."),
      of.length ? everyone(sample) : null,
    ];
    if (sample !== current) return;
    const hadFocus = pane.contains(document.activeElement) && document.activeElement !== pane && !focus
      ? document.activeElement.textContent : "";
    pane.replaceChildren(...made.filter(Boolean));
    pane.dataset.sample = index.ids[sample];
    if (focus && pane.querySelector(focus)) pane.querySelector(focus).focus();
    else if (hadFocus === "Next") after.focus();
    else if (hadFocus === "Previous") before.focus();
    else if (hadFocus) pane.focus();
  }

  // An address names a sample: #sample/benchmark/edition/id, with ?a=evaluation where one is meant.
  function follow() {
    const [path, query] = location.hash.split("?");
    if (!path.startsWith("#sample/")) return false;
    const sample = named(path);
    if (sample < 0) {
      nobody(`There is no such sample here: ${path}`);
    } else {
      const meant = new URLSearchParams(query || "").get("a");
      if (meant) sides = [meant, sides[1]];
      if (!shown.includes(sample)) form.reset();
      select(sample, false);
    }
    byId("samples").scrollIntoView();
    list.focus({ preventScroll: true });
    return true;
  }

  function named(path) {
    let parts;
    try {
      parts = path.split("/").slice(1).map(decodeURIComponent);
    } catch {
      return -1;
    }
    const [benchmark, edition, id] = parts;
    return parts.length !== 3 ? -1 : index.ids.findIndex((each, place) => each === id &&
      index.groups[groupOf[place]][0] === benchmark && index.groups[groupOf[place]][1] === edition);
  }
  window.addEventListener("hashchange", follow);
  shown = index.ids.map((_, sample) => sample);
  rows.style.height = `${total * HEIGHT}px`;
  byId("found").textContent = `${total.toLocaleString("en")} of ${total.toLocaleString("en")} samples`;
  if (!follow()) select(0, false);
  parsed.then(() => {
    if (typeof DecompressionStream !== "undefined") (window.requestIdleCallback || setTimeout)(() => sampleTexts());
  });
  window.cotline.ready = performance.now();
})();
