"use strict";
/* Draws a page from its JSON: each experiment with its tables and steps, asks its task, and keeps what is answered. */
const UNWRITTEN = "·", MOST_WIRES = 32, SPECIAL = ["nan", "inf", "-inf"];
const page = JSON.parse(document.querySelector("script[type='application/json']").textContent);
const say = (key, values = {}) => page.words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const join = (...texts) => texts.filter(Boolean).join(" ");
const made = (kind, name = "", ...inside) => {
  const element = document.createElement(kind);
  if (name) element.className = name;
  element.append(...inside.flat(2).filter(Boolean));
  return element;
};
const given = (text, kind, name) => text && made(kind, name, text);
const spoken = (kind, name) => Object.assign(made(kind, name), { role: "status" });
const input = (type, more) => Object.assign(made("input"), { type, autocomplete: "off", ...more });
const button = (name, text, onclick) => Object.assign(made("button", name, text), { type: "button", onclick });
const sent = (form, act) => Object.assign(form, { onsubmit: (event) => event.preventDefault() ?? act() });
const link = (text, href) => Object.assign(made("a", "", text), { href });
const tablesOf = (tables = []) => tables.map((rows) =>
  made("table", "", made("tbody", "", rows.map((row) => made("tr", "", row.map((each) => made("td", "", each)))))));

/* ---- answers: each is one text, by which its reply is looked up */
const isTyped = ({ form }) => ["values", "number", "sizes"].includes(form);
const isMarked = ({ form }) => ["input", "inputs", "outputs"].includes(form);
const wordsOf = (text) => text.split(/[\s,;{}()[\]]+/).filter(Boolean);
/* A number as all that equal it are written, rounded to FLOAT32 where it is of that type; undefined for what is none. */
const plain = (word, { type }) => {
  if (SPECIAL.includes(word)) return word;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return undefined;
  return String(type === "FLOAT32" ? Math.fround(word) : Number(word));
};
const keyOf = (task, text) => (isTyped(task) ? wordsOf(text).map((each) => plain(each, task)).join(" ") : text);
/* What is wrong with an answer that can't be read; null for none was given. */
const problemOf = (task, text) => {
  if (text === null) return say("answer_first");
  const held = isTyped(task) ? wordsOf(text) : [], unread = held.find((each) => plain(each, task) === undefined);
  const count = isTyped(task) && task.form !== "sizes" ? wordsOf(task.truth).length : held.length;
  if (unread !== undefined) return say("typed", { text: unread });
  return held.length === count ? "" : say("counted", { text, found: held.length, count });
};
const replyTo = (task, text) => {
  const known = Object.entries(task.verdicts).find(([each]) => keyOf(task, each) === keyOf(task, text));
  const [right, feedback, look, ...rules] = known?.[1] ?? task.other;
  return { right, feedback, look, rules };
};
/* An answer as the JSON text that progress has of it; `cell` is that of a marked place. */
const jsonOf = (task, text, cell) => {
  const each = wordsOf(text);
  if (isTyped(task)) {
    const texts = each.map((word) => (SPECIAL.includes(word) ? JSON.stringify(word) : plain(word, task)));
    return "[".repeat(task.lists) + texts + "]".repeat(task.lists);
  }
  if (task.form === "choice") return JSON.stringify(task.options.find(({ key }) => key === text).json);
  if (task.form === "choices") return JSON.stringify(each);
  return task.form === "input" ? each.map(cell)[0] ?? '"nowhere"' : `[${each.map(cell)}]`;
};

/* ---- one experiment */
const SIGNS = { first: "«", back: "‹", play: "▶\uFE0E", stop: "■", next: "›", last: "»" };
const signed = (element, name) => Object.assign(element, { textContent: SIGNS[name], ariaLabel: say(name), title: say(name) });
const start = (root, data, keep) => {
  const { tables = [], count = 0 } = data, task = data.task?.hints ? data.task : null;
  const marked = new Set(), cells = [], byPlace = new Map();
  let isOpen = Boolean(task), step = count, cursor = null, playing = 0;

  /* -- the tables */
  const place = (out, number, flat) => `${out ? "o" : "i"}${number}:${flat}`;
  const faceOf = ({ table, k, faces }) => {
    const letter = made("i", "", page.colours[table.identity[k]]?.[2]), text = document.createTextNode("");
    const td = made("td", "", letter, text);
    faces.push({ td, letter, text });
    return td;
  };
  const cellOf = (table, k) => {
    const cell = { table, k, flat: table.flat?.[k] ?? k, faces: [] }, td = faceOf(cell);
    td.tabIndex = k ? -1 : 0;
    cells.push(Object.assign(cell, cell.faces[0]));
    byPlace.set(place(table.out, table.number, cell.flat), cell);
    return td;
  };
  const tableOf = (table) => {
    const { texts, columns, row_heads: down, column_heads: across } = table;
    const widest = Math.max(...texts.map((each) => each.length)), rows = [];
    for (let k = 0; k < texts.length; k += columns) {
      const inside = texts.slice(k, k + columns).map((_, n) => cellOf(table, k + n));
      rows.push(made("tr", "", down && made("th", "", down[k / columns]), inside));
    }
    const heads = across && made("tr", "", down && made("td"), across.map((each) => made("th", "", each)));
    const about = made("caption", "", table.path, made("small", "", table.type), made("small", "", table.axes));
    const isBig = rows.length <= 8 && columns * (widest + 2) <= 30;
    const body = [about, heads && made("thead", "", heads), made("tbody", "", rows)];
    const drawn = made("table", isBig ? "big" : "", body);
    const pane = made("div", join("scroll", table.covered && "later"), drawn);
    pane.style.setProperty("--text", widest);
    pane.style.setProperty("--name", Math.min(24, Math.max(table.path.length, table.type.length)));
    return [table.covered && made("p", "asked-for", made("b", "", table.path), " {?}"), pane];
  };
  const sideOf = (name) => {
    const drawn = tables.filter(({ out }) => out === (name === "out")).map(tableOf);
    return made("div", `side ${name}`, made("div", "tensors", drawn));
  };
  const wires = made("div", "wires");
  const picture = made("div", join("picture", task?.picture && "later"), sideOf("in"), sideOf("out"), wires);
  const indexOf = ({ table, flat }) => {
    const index = [];
    for (const size of table.type.match(/\d+(?=[,}])/g).reverse()) [flat] = [Math.floor(flat / size), index.unshift(flat % size)];
    return index;
  };
  const nameOf = (cell) => `${cell.table.path}[${indexOf(cell)}]`;
  /* Linear memory: the cells of data tensors once more, in address order. */
  const stripOf = (table) => {
    const own = cells.filter((cell) => cell.table === table).sort((one, other) => one.flat - other.flat);
    const line = made("div", "scroll", made("table", "", made("tr", "", own.map(faceOf))));
    line.tabIndex = 0;
    return made("div", "", made("p", "", say("memory_of", { path: table.path })), line);
  };
  const strips = data.memory ? tables.filter((table) => table.data).map(stripOf) : [];

  /* -- what may be told: a step tells what it writes; an open task covers links, and outputs */
  const links = () => !(isOpen && task.links), isDone = () => step >= count;
  const toldAt = ({ table, k }) => table.told?.[k] ?? 0;
  const shows = (cell) => !cell.table.out || (!(isOpen && task.outputs) && toldAt(cell) <= step);
  const written = () => cells.filter((cell) => cell.table.out && step > 0 && toldAt(cell) === step);
  const sources = ({ table, k }) => {
    const places = [place(false, table.source?.[k], table.from?.[k]), place(false, table.by, table.via?.[k])];
    return places.map((each) => byPlace.get(each)).filter(Boolean);
  };
  const tells = (cell) => cell.table.out && links() && shows(cell);
  const partners = (cell) => {
    if (cell.table.out) return tells(cell) ? sources(cell) : [];
    return cells.filter((each) => tells(each) && sources(each).includes(cell));
  };
  const said = (cell) => {
    const { table, k } = cell, name = nameOf(cell);
    if (links() && table.out && shows(cell)) return name + table.said[k];
    return `${name} = ${shows(cell) ? table.texts[k] : UNWRITTEN}`;
  };

  /* -- what is seen */
  const classesOf = (cell, near) => {
    const { table, k, flat } = cell, sign = links() && shows(cell) && table.sign?.[k], [first, behind] = table.asked ?? [];
    const is = {
      clamped: sign === "!", negative: sign === "-", unread: links() && isDone() && table.unread?.[k], unwritten: !shows(cell),
      step: tells(cell) && step > 0 && (step < count || data.lit) && toldAt(cell) === step,
      asked: flat >= first && flat < behind,
      partner: near.has(cell), marked: marked.has(cell), cursor: cell === cursor,
    };
    return Object.keys(is).filter((name) => is[name]).join(" ");
  };
  const colourOf = (cell) => {
    const { table, k } = cell, identity = table.identity[k], shade = table.shade?.[k] ?? -1;
    if (identity < 0 || !links() || toldAt(cell) > step) return ["", ""];
    const isShaded = shade !== -1 && ((table.placed ?? table.told)?.[k] ?? 0) <= step;
    return page.colours[isShaded ? `${identity} ${shade}` : identity];
  };
  const draw = () => {
    const near = new Set(cursor ? partners(cursor) : []);
    for (const cell of cells) {
      const [fill, ink] = colourOf(cell), classes = classesOf(cell, near);
      for (const { td, letter, text } of cell.faces) {
        td.className = classes;
        [td.style.background, td.style.color] = [fill, ink];
        text.data = shows(cell) ? cell.table.texts[cell.k] : UNWRITTEN;
        letter.hidden = !fill;
      }
    }
    heading.textContent = (!isOpen && data.then_title) || data.title;
    root.classList.toggle("open", isOpen);
    steps.hidden = !links();
    wire();
  };
  /* Lines from sources to what is made of them run in the gaps between rows, and cross no value. */
  const wire = () => {
    const ends = (cursor ? partners(cursor) : []).map((each) => cursor.table.out ? [each, cursor] : [cursor, each]);
    const frame = picture.getBoundingClientRect();
    const paths = ends.slice(0, MOST_WIRES).map((pair) => {
      const [from, into] = pair.map(({ td }) => td.getBoundingClientRect());
      const [left, right] = pair.map(({ td }) => td.closest(".scroll").getBoundingClientRect());
      if (right.left <= left.right) return ""; // one below the other
      const [x, out, middle, inside, z] = [from.left + 6, left.right, (left.right + right.left) / 2, right.left, into.right - 6].map((each) => each - frame.left);
      const [y, end] = [from, into].map(({ bottom }) => bottom + 2 - frame.top);
      return `<path d="M${x} ${y}H${out}C${middle} ${y} ${middle} ${end} ${inside} ${end}H${z}"/>`;
    });
    wires.innerHTML = `<svg aria-hidden="true">${paths.join("")}</svg>`;
  };

  /* -- steps */
  const line = spoken("p", join("formula", task?.picture && "later")), counter = made("span", "now");
  const look = (cell) => {
    cursor = cell;
    draw();
    line.textContent = said(cell);
  };
  const go = (wanted) => {
    if (!links() || !count) return draw();
    const before = step;
    step = Math.min(Math.max(wanted, 0), count);
    const writes = written();
    if (step < count || before === count - 1) cursor = writes[0] ?? null;
    const caption = cursor && data.captions?.[step];
    draw();
    counter.textContent = say(isDone() ? "all_written" : "step_of", { step, count });
    slider.value = step;
    line.textContent = caption || (cursor ? said(cursor) : "");
  };
  const to = (wanted) => {
    playing = clearInterval(playing);
    signed(player, "play");
    go(wanted);
  };
  const play = () => {
    if (playing) return to(step);
    if (step >= count) go(0);
    playing = setInterval(() => (step < count - 1 ? go(step + 1) : to(count)), Math.max(120, Math.min(900, 12000 / count)));
    signed(player, "stop");
  };
  const slider = input("range", { max: count, ariaLabel: say("step_by", { unit: data.unit }), oninput: () => to(Number(slider.value)) });
  const player = button("play", "", play), stepper = (name, where) => signed(button(name, "", () => to(where())), name);
  const back = [stepper("first", () => 0), stepper("back", () => step - 1)];
  const on = [stepper("next", () => step + 1), stepper("last", () => count)];
  const steps = made("div", "steps", back, player, on, slider, counter);

  /* -- cells under the pointer and the keyboard */
  const mark = (cell) => {
    if (!isOpen || !isMarked(task) || cell.table.out !== (task.form === "outputs")) return;
    const had = marked.delete(cell);
    if (task.form === "input") marked.clear();
    if (!had) marked.add(cell);
    draw();
    line.textContent = say(had ? "unmarked" : "marked", { name: nameOf(cell) });
  };
  const focus = (cell) => {
    for (const each of cells) if (each.table === cell.table) each.td.tabIndex = each === cell ? 0 : -1;
    cell.td.focus();
  };
  const heard = (kind, act) => picture.addEventListener(kind, (event) => {
    const cell = cells.find(({ td }) => td === event.target.closest?.("td"));
    if (cell) act(cell, event);
  });
  heard("pointerover", (cell, { pointerType }) => pointerType !== "touch" && look(cell));
  heard("focusin", look);
  heard("click", (cell) => {
    focus(cell);
    mark(cell);
  });
  heard("keydown", (cell, event) => {
    const wide = cell.table.columns, by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide }[event.key];
    if (!by && event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!by) return mark(cell);
    focus(cells.find(({ table, k }) => table === cell.table && k === cell.k + by) ?? cell);
  });

  /* -- the task */
  const verdict = spoken("p", "verdict"), field = input("text", { spellcheck: false });
  const boxes = (data.task?.options ?? []).map(({ key }) => input(task.form === "choices" ? "checkbox" : "radio", { name: `answer${root.id}`, value: key }));
  let wrong = 0, taken = 0;
  const answer = () => {
    if (isTyped(task)) return field.value.trim() === "" ? null : field.value;
    const places = cells.filter((cell) => marked.has(cell)).map(({ table, flat }) => [table.number, flat]);
    const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => value).sort();
    const parts = isMarked(task) ? places.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((each) => each.join(":")) : chosen;
    return parts.length ? parts.join(" ") : null;
  };
  const cellJson = (at) => {
    const cell = byPlace.get((task.form === "outputs" ? "o" : "i") + at);
    return JSON.stringify({ [cell.table.out ? "output" : "tensor"]: cell.table.number, index: indexOf(cell) });
  };
  const tell = (kind, ...texts) => {
    verdict.className = join("verdict", kind);
    verdict.textContent = join(...texts);
    verdict.scrollIntoView({ block: "nearest" });
  };
  const reveal = () => {
    isOpen = false;
    buttons.hidden = true;
    marked.clear();
    go(count);
  };
  const give = (text = answer()) => {
    const problem = problemOf(task, text);
    if (!isOpen) return;
    if (problem) return tell("wrong", problem);
    const { right, feedback, look: where, rules } = replyTo(task, text), isLast = right || wrong > 0;
    keep.add(task, jsonOf(task, text, cellJson), { operator: data.operator, right, rules, rungs: taken, skipped: false });
    wrong += !right;
    const kind = right ? "right" : "wrong";
    tell(kind, say(kind), feedback, !right && where && say("look", { look: where }), isLast && task.then);
    if (isLast) return reveal();
    field.select(); // what is typed next is another try
  };
  const hint = () => tell("", taken < 4 ? say("hint", { hint: task.hints[taken++] }) : say("no_hints"));
  const show = () => {
    keep?.add(task, "null", { operator: data.operator, right: false, rules: [], rungs: taken, skipped: true });
    tell("", say("the_answer", { answer: task.hints[3] }), task.then);
    reveal();
  };
  const giver = data.task?.verdicts && made("button", "answer", say("answer"));
  const buttons = made("div", "buttons", giver, button("hint", say("ask_hint"), hint), button("show", say("show_answer"), show));
  const asked = ({ prompt, reason, about, facts, form, options = [], goal, none: nothing }) => {
    const isMark = task && isMarked(task), isMany = form === "choices";
    const labels = options.map(({ key, text, tables: drawn }, n) => made("label", "", boxes[n], (drawn || !text) && made("b", "", key), text, tablesOf(drawn)));
    const lines = facts?.map(({ text, tables: drawn }) => made("li", "", made("code", "", text), tablesOf(drawn)));
    const element = made("form", "task",
      made("strong", "", prompt), given(reason, "p", "dim screen"), about && made("p", "", say("about", { element: about })),
      lines && made("ul", "chips stages", lines), goal && made("div", "scroll", made("p", "", say("goal")), tablesOf(goal)),
      (isMark || isMany) && made("p", "dim screen", say(`mark_${form}`)), isMark && made("p", "paper", say("mark_on_paper")),
      made("div", "options", labels, nothing && button("none", nothing, () => give(""))),
      task && isTyped(task) && made("label", "", say(`type_${form}`), field),
      task && !giver && made("div", "paper room"), task && buttons, verdict);
    return sent(element, () => give());
  };

  /* -- all of it */
  const heading = made("h2"), memory = made("div", "memory later", strips), { fields, reasons = [] } = data;
  const chip = (name, text, kind) => made("li", kind, made("b", "", name), made("code", "", text));
  const chips = fields.map(({ name, content, open }) =>
    [chip(name, content ?? "", open && "later"), open && chip(name, open, "asked-for")]);
  const validity = made("p", join("validity", data.invalid && "invalid"), data.verdict);
  const causes = made("ul", "reasons", reasons.map((each) => made("li", "", each))), linked = task?.links && "later";
  const key = made("p", join("key", linked), say("key", data));
  const whole = [
    heading, made("p", "meaning", data.meaning), data.map && made("p", join("map", linked), made("code", "", data.map)),
    made("div", "facts", made("ul", "chips", chips), made("div", join(task?.rules && "later", reasons.length && "broken"), validity, causes)),
    given(data.notes, "p", join("notes", task && "later")), given(data.question, "p", "question"), data.question && made("div", "paper room"),
    data.task && asked(data.task), given(data.large, "p", "dim"),
  ];
  root.append(...whole.filter(Boolean));
  if (count) root.append(picture, memory, key, line, steps);
  Object.assign(root, { cells, data, go, look, partners, at: (key) => byPlace.get(key) });
  signed(player, "play");
  go(count);
  window.addEventListener("resize", draw);
};

/* ---- what was answered, until the page is closed; it is saved in a file to hand in */
const keeping = () => {
  const answers = [], told = spoken("p", "told"), field = input("text", { maxLength: 100, required: true, pattern: ".*\\S.*" });
  const save = () => {
    const student = field.value.trim(), lesson = page.lesson ?? "";
    const name = `${lesson}-${student}`.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
    const head = JSON.stringify({ dmlviz_progress: 1, as: student, lesson });
    const text = `${head.slice(0, -1)}, "answers": [\n  ${answers.join(",\n  ")}\n]}\n`;
    const file = link("", URL.createObjectURL(new Blob([text], { type: "application/json" })));
    file.download = `${name}.json`;
    file.click();
    told.textContent = say("saved", { file: file.download });
  };
  const form = made("form", "form", made("label", "", say("your_name"), field), made("button", "save", say("save")));
  sent(form, save);
  const box = Object.assign(made("section", "hand-in", made("h2", "", say("hand_in")), form, told), { id: "end" });
  const add = (task, json, more) => {
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    const about = { v: 1, time, task: task.id, ...task.progress, ...more, lesson: page.lesson ?? "" };
    answers.push(`{"answer": ${json}, ${JSON.stringify(about).slice(1)}`);
  };
  return { box, add };
};

/* ---- the page */
const main = document.querySelector("main"), keep = page.asks && keeping();
const roots = page.experiments.map(({ number, title }) => Object.assign(made("section", "dmlviz"), { id: `e${number}`, ariaLabel: title }));
const kept = keep && made("p", "kept", say("kept"), " ", link(say("to_hand_in"), "#end"));
const names = made("p", "name-line", made("span", "", say("name_line")), made("span", "", say("date_line")));
main.append(made("header", "", made("h1", "", page.title), given(page.goal, "p", "goal"), kept, names));
main.append(...roots);
roots.forEach((root, n) => start(root, page.experiments[n], page.experiments[n].task?.id && keep));
if (keep) main.append(keep.box);
const told = page.experiments.filter(({ task }) => task?.hints).map(({ number, task }) =>
  Object.assign(made("li", "", made("p", "", task.hints[3]), given(task.then, "p")), { value: number }));
if (told.length) main.append(made("section", "answers", made("h2", "", say("answers")), made("ol", "", told)));
