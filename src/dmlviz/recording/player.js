"use strict";
/* Draws a page from its JSON: each experiment with its tables and steps, asks its task, and keeps what is answered. */
const UNWRITTEN = "·", MOST_WIRES = 32, SPECIAL = ["nan", "inf", "-inf"];
let shared = []; // texts that are there oftener, of which the others have the places
const page = JSON.parse(document.querySelector("script[type='application/json']").textContent, (key, each) => {
  if (key === "shared") shared = each;
  return typeof each === "string" && each[0] === "\x7f" ? shared[each.slice(1)] : each;
});
const say = (key, values = {}) => page.words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const join = (...texts) => texts.filter(Boolean).join(" ");
const made = (kind, name = "", ...inside) => {
  const element = document.createElement(kind);
  if (name) element.className = name;
  element.append(...inside.flat(2).filter(Boolean));
  return element;
};
const given = (text, kind, name) => text && made(kind, name, text);
const svg = (kind, attributes, ...inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};
const input = (type, more) => Object.assign(made("input"), { type, autocomplete: "off", ...more });
const button = (name, text, onclick) => Object.assign(made("button", name, text), { type: "button", onclick });
const cellsOf = (rows) => rows.map((row) => made("tr", "", row.map((each) => made("td", "", each))));
const tablesOf = (tables = []) => tables.map((rows) => made("table", "", made("tbody", "", cellsOf(rows))));
const spoken = (element) => {
  element.setAttribute("role", "status");
  return element;
};

/* ---- answers: each is one text, by which its reply is looked up */
const isTyped = ({ form }) => ["values", "number", "sizes"].includes(form);
const isMarked = ({ form }) => ["input", "inputs", "outputs"].includes(form);
const isFloat = ({ type }) => type.startsWith("FLOAT");
const wordsOf = (text) => text.split(/[\s,;{}()[\]]+/).filter(Boolean);
const isNumber = (word, task) => {
  if (isFloat(task)) return SPECIAL.includes(word) || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word);
  return /^[+-]?\d{1,99}$/.test(word);
};
/* A number as all that equal it are written: a float rounded to its type, an integer exactly. */
const plain = (word, task) => {
  if (SPECIAL.includes(word)) return word;
  if (!isFloat(task)) return String(BigInt(word.replace("+", "")));
  return String(task.type === "FLOAT64" ? Number(word) : Math.fround(Number(word)));
};
const keyOf = (task, text) => (isTyped(task) ? wordsOf(text).map((each) => plain(each, task)).join(" ") : text);
/* What is wrong with an answer that can't be read; null for none was given. */
const problemOf = (task, text) => {
  if (text === null) return say("answer_first");
  if (!isTyped(task)) return "";
  const held = wordsOf(text), count = wordsOf(task.truth).length, bad = held.find((each) => !isNumber(each, task));
  if (bad !== undefined && task.form === "values") return say("no_value", { value: bad, type: task.type });
  if (bad !== undefined || !held.length) return say("whole_numbers");
  return task.form !== "sizes" && held.length !== count ? say("typed", { found: held.length, count }) : "";
};
const replyTo = (task, text) => {
  const known = new Map(Object.entries(task.verdicts).map(([key, reply]) => [keyOf(task, key), reply]));
  const wanted = wordsOf(task.truth), isWrong = (each, n) => keyOf(task, each) !== keyOf(task, wanted[n] ?? "");
  const first = task.several ? say("first_wrong", { number: wordsOf(text).findIndex(isWrong) + 1 }) : "";
  const [right, feedback, look, ...rules] = task.replies[known.get(keyOf(task, text)) ?? task.other];
  return { right, feedback: feedback || first, look, rules };
};
/* An answer as the JSON text that progress has of it; `cell` is that of a marked place. */
const jsonOf = (task, text, cell) => {
  const each = wordsOf(text);
  if (isTyped(task)) {
    const number = (word) => (isFloat(task) ? String(Number(word)) : plain(word, task));
    const texts = each.map((word) => (SPECIAL.includes(word) ? JSON.stringify(word) : number(word)));
    return "[".repeat(task.lists) + texts + "]".repeat(task.lists);
  }
  if (task.form === "choice") return JSON.stringify(task.options.find(({ key }) => key === text).json ?? null);
  if (task.form === "choices") return JSON.stringify(each);
  return task.form === "inputs" || task.form === "outputs" ? `[${each.map(cell)}]` : each.map(cell)[0] ?? '"nowhere"';
};

/* ---- one experiment */
const ICONS = {
  first: "M2 3h2v10H2zM14 3v10L5 8z", back: "M11 2L5 8l6 6 1.5-1.5L8 8l4.5-4.5z", play: "M4 2v12l10-6z",
  stop: "M3 3h4v10H3zM9 3h4v10H9z", next: "M5 2l6 6-6 6-1.5-1.5L8 8 3.5 3.5z", last: "M12 3h2v10h-2zM2 3v10l9-5z",
};
const showIcon = (element, name) => {
  element.replaceChildren(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] })));
  return Object.assign(element, { ariaLabel: say(name), title: say(name) });
};
const start = (root, data, keep) => {
  const { tables = [], count = 0 } = data, task = data.task?.hints ? data.task : null;
  const marked = new Set(), cells = [], byPlace = new Map();
  let answered = !task, onPaper = false, step = count, cursor = null, moved = [], playing = 0, wrong = 0;

  /* -- the tables */
  const place = (out, number, flat) => `${out ? "o" : "i"}${number}:${flat}`;
  const cellOf = (table, k) => {
    const letter = made("i", "", page.colours[table.identity[k]]?.[2]), text = document.createTextNode("");
    const td = made("td", "", letter, text), cell = { td, table, k, flat: table.flat[k], letter, text };
    td.tabIndex = k ? -1 : 0;
    cells.push(cell);
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
    const isBig = rows.length <= 8 && columns * (widest + 2) <= 30, isSmall = Math.max(columns, rows.length) > 16;
    const body = [about, heads && made("thead", "", heads), made("tbody", "", rows)];
    const pane = made("div", `scroll ${table.covered ? "later" : ""}`, made("table", isBig ? "big" : isSmall ? "small" : "", body));
    pane.style.setProperty("--text", widest);
    pane.style.setProperty("--name", Math.min(24, Math.max(table.path.length, table.type.length)));
    return [table.covered && made("p", "asked-for", made("b", "", table.path), " {?}"), pane];
  };
  const sideOf = (name) => {
    const drawn = made("div", "tensors", tables.filter(({ out }) => out === (name === "out")).map(tableOf));
    return made("div", `side ${name}`, !page.bare && made("h3", "", say(`${name}puts`)), drawn);
  };
  const wires = svg("svg", { class: "wires", "aria-hidden": "true" });
  const picture = made("div", join("picture", task && isMarked(task) && "markable", task?.picture && "later"), sideOf("in"), sideOf("out"), wires);
  const indexOf = ({ table, flat }) => {
    const index = [];
    for (const size of [...table.sizes].reverse()) [flat] = [Math.floor(flat / size), index.unshift(flat % size)];
    return index;
  };
  const nameOf = (cell) => `${cell.table.path}[${indexOf(cell)}]`;

  /* -- what may be told: a step tells what it writes; an open task covers links, outputs, or what it is played round */
  const covers = new Set((task?.covers ?? []).map(([number, flat]) => place(true, number, flat)));
  const isOpen = () => Boolean(task) && (!answered || onPaper);
  const plays = () => isOpen() && Boolean(task.plays), links = () => !(isOpen() && task.links);
  const now = () => (onPaper ? (task?.plays ? 0 : count) : step), isDone = () => now() >= count && !plays();
  const isCovered = ({ table, flat }) => plays() && table.out && covers.has(place(true, table.number, flat));
  const toldAt = ({ table, k }) => table.told?.[k] ?? 0;
  const shows = (cell) => !cell.table.out || (!(isOpen() && task.outputs) && toldAt(cell) <= now() && !isCovered(cell));
  const written = (at) => cells.filter((cell) => cell.table.out && toldAt(cell) === at);
  const isTold = (cell, at) => {
    if (!links() || at > now()) return false;
    return cell.table.out ? !isCovered(cell) : !plays() || at === 0 || written(at).some((each) => !isCovered(each));
  };
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
    if (!shows(cell)) return `${name} = ${UNWRITTEN} ${say(isOpen() ? "told_later" : "not_written")}`;
    if (links() && table.out) return name + table.said[k].replace(/@(\d+)/g, (whole, n) => tables[n].path);
    const readers = links() ? partners(cell) : [], none = links() && isDone() && say(table.data ? "not_read" : "sends_nothing");
    const more = [readers.length > 3 && say("and_more"), !isDone() && say("so_far")];
    const names = readers.slice(0, 3).map(nameOf).join(", "), verb = say(table.data ? "is_read_by" : "sends");
    return join(`${name} = ${table.texts[k]}`, ...(readers.length ? [verb, names, ...more] : [none]));
  };

  /* -- what is seen */
  const classesOf = (cell, near) => {
    const { table, k, flat } = cell, sign = links() && shows(cell) && table.sign?.[k], [out, number, first, behind] = task?.at ?? [];
    const is = {
      clamped: sign === "!", negative: sign === "-", unread: links() && isDone() && table.unread?.[k], unwritten: !shows(cell),
      step: tells(cell) && now() > 0 && (now() < count || moved.length) && toldAt(cell) === now(),
      asked: out === table.out && number === table.number && flat >= first && flat < behind,
      partner: near.has(cell), marked: !onPaper && marked.has(cell), cursor: !onPaper && cell === cursor,
    };
    return Object.keys(is).filter((name) => is[name]).join(" ");
  };
  const colourOf = (cell) => {
    const { table, k } = cell, identity = table.identity[k], shade = table.shade?.[k] ?? -1;
    if (identity < 0 || !isTold(cell, toldAt(cell))) return ["", ""];
    const isShaded = shade !== -1 && isTold(cell, table.placed?.[k] ?? 0);
    return page.colours[isShaded ? `${identity} ${shade}` : identity];
  };
  const draw = () => {
    const near = new Set(onPaper ? [] : moved.length ? moved.flatMap(partners) : cursor ? partners(cursor) : []);
    for (const cell of cells) {
      const [fill, ink] = colourOf(cell);
      cell.td.className = classesOf(cell, near);
      [cell.td.style.background, cell.td.style.color] = [fill, ink];
      cell.text.data = shows(cell) ? cell.table.texts[cell.k] : UNWRITTEN;
      cell.letter.hidden = !fill;
    }
    heading.textContent = (!isOpen() && data.then_title) || data.title || "";
    root.classList.toggle("open", isOpen());
    steps.hidden = !links();
    wire([...near]);
    remember(near);
  };
  /* Lines from sources to what is made of them run in the gaps between rows, and cross no value. */
  const wire = (near) => {
    const target = moved.find((cell) => partners(cell).length), frame = picture.getBoundingClientRect();
    const ends = target ? partners(target).map((each) => [each, target]) : near.map((each) => (cursor.table.out ? [each, cursor] : [cursor, each]));
    wires.replaceChildren();
    for (const pair of near.length > MOST_WIRES && !target ? [] : ends) {
      const [from, into] = pair.map(({ td }) => td.getBoundingClientRect());
      const [left, right] = pair.map(({ td }) => td.closest(".scroll").getBoundingClientRect());
      const isSeen = from.left >= left.left && from.left < left.right && into.left >= right.left && into.left < right.right;
      if (!isSeen || right.left <= left.right) continue; // scrolled away, or one below the other
      const [x, out, middle, inside, z] = [from.left + 6, left.right, (left.right + right.left) / 2, right.left, into.right - 6].map((each) => each - frame.left);
      const [y, end] = [from, into].map(({ bottom }) => bottom + 2 - frame.top);
      wires.append(svg("path", { d: `M${x} ${y}H${out}C${middle} ${y} ${middle} ${end} ${inside} ${end}H${z}` }));
    }
  };
  /* Linear memory: the cells of data tensors once more, in address order. */
  const memory = made("div", "memory");
  const stripOf = (table) => {
    const own = cells.filter((cell) => cell.table === table).sort((one, other) => one.flat - other.flat);
    const copies = own.map(() => made("td")), line = made("div", "scroll", made("table", "", made("tr", "", copies)));
    line.tabIndex = 0;
    memory.append(made("div", table.covered ? "later" : "", made("p", "", say("memory_of", { path: table.path })), line));
    return { own, copies, line };
  };
  const remember = (near) => {
    memory.hidden = isOpen() && data.memory === "later";
    for (const { own, copies, line } of strips) {
      copies.forEach((td, n) => {
        td.replaceChildren(...own[n].td.cloneNode(true).childNodes);
        [td.className, td.style.cssText] = [own[n].td.className, own[n].td.style.cssText];
      });
      const at = own.findIndex((cell) => moved.includes(cell) || near.has(cell) || cell === cursor);
      if (at >= 0) line.scrollLeft = copies[at].offsetLeft - line.clientWidth / 3;
    }
  };

  /* -- steps */
  const line = spoken(made("p", join("formula", task?.picture && "later"))), counter = made("span", "now");
  line.dataset.empty = say("formula_empty");
  const look = (cell) => {
    [cursor, moved] = [cell, []];
    draw();
    line.textContent = said(cell);
  };
  const go = (wanted) => {
    if (!links() || !count) return draw();
    const before = step;
    step = Math.min(Math.max(wanted, 0), count);
    const writes = written(step), seen = writes.filter((cell) => !isCovered(cell));
    if (step < count || before === count - 1) cursor = (step > 0 && seen[0]) || null;
    const isCaption = cursor && cursor === seen[0] && data.captions && seen.length === writes.length;
    moved = isCaption && data.lit ? writes : [];
    draw();
    counter.textContent = say(isDone() ? "all_written" : "step_of", { step, count });
    slider.value = step;
    line.textContent = isCaption ? data.captions[step] : cursor ? said(cursor) : "";
  };
  const stop = () => {
    playing = clearInterval(playing);
    showIcon(player, "play");
  };
  const on = () => {
    go(step + 1);
    if (step >= count) stop();
  };
  const play = () => {
    if (playing) return stop();
    if (step >= count) go(0);
    playing = setInterval(on, Math.max(120, Math.min(900, 12000 / count)));
    showIcon(player, "stop");
  };
  const to = (wanted) => {
    stop();
    go(wanted);
  };
  const slider = input("range", { min: 0, max: count, value: count, ariaLabel: say("step_by", { unit: data.unit }), oninput: () => to(Number(slider.value)) });
  const player = button("play", "", play), ways = { first: () => 0, back: () => step - 1, next: () => step + 1, last: () => count };
  const stepper = (name) => showIcon(button(name, "", () => to(ways[name]())), name);
  const steps = made("div", "steps", stepper("first"), stepper("back"), player, stepper("next"), stepper("last"), slider, counter);
  root.addEventListener("keydown", (event) => {
    const by = { ".": 1, PageDown: 1, ",": -1, PageUp: -1 }[event.key];
    if (!by || !count || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=range])")) return;
    event.preventDefault();
    to(step + by);
  });

  /* -- cells under the pointer and the keyboard */
  const cellAt = ({ target }) => cells.find(({ td }) => td === target.closest?.("td"));
  const rove = (cell) => {
    for (const each of cells) if (each.table === cell.table) each.td.tabIndex = each === cell ? 0 : -1;
    cell.td.focus();
  };
  const mark = (cell) => {
    if (!task || !isOpen() || !isMarked(task) || cell.table.out !== (task.form === "outputs")) return;
    const had = marked.has(cell);
    if (task.form === "input") marked.clear();
    if (had) marked.delete(cell);
    else marked.add(cell);
    none.checked = false;
    draw();
    line.textContent = say(had ? "unmarked" : "marked", { name: nameOf(cell) });
  };
  const heard = (kind, act) => picture.addEventListener(kind, (event) => {
    const cell = cellAt(event);
    if (cell) act(cell, event);
  });
  heard("pointerover", (cell, { pointerType }) => pointerType !== "touch" && look(cell));
  heard("focusin", look);
  heard("click", (cell) => {
    rove(cell);
    mark(cell);
  });
  heard("keydown", (cell, event) => {
    const own = cells.filter((each) => each.table === cell.table), wide = cell.table.columns;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide }[event.key];
    if (!by && !["Home", "End", " ", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === " " || event.key === "Enter") return mark(cell);
    const next = by ? own[cell.k + by] : event.key === "Home" ? own[0] : own.at(-1);
    const isRow = Math.abs(by) !== 1 || wide === 1 || Math.floor(next?.k / wide) === Math.floor(cell.k / wide);
    if (next && isRow) rove(next);
  });

  /* -- the task */
  const verdict = spoken(made("p", "verdict")), none = input("checkbox", { name: "none" }), field = input("text", { spellcheck: false });
  const boxes = (data.task?.options ?? []).map(({ key }) => input(task.form === "choices" ? "checkbox" : "radio", { name: `answer${root.id}`, value: key }));
  const answer = () => {
    if (none.checked) return "";
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
    answered = buttons.hidden = true;
    marked.clear();
    go(count);
    root.dispatchEvent(new Event("revealed", { bubbles: true }));
  };
  const give = () => {
    const text = answer(), problem = problemOf(task, text);
    if (answered || problem) return tell("wrong", problem);
    const { right, feedback, look: where, rules } = replyTo(task, text), isLast = right || wrong > 0;
    keep.add({ task, right, rules, json: jsonOf(task, text, cellJson) });
    wrong += !right;
    tell(right ? "right" : "wrong", say(right ? "right" : "wrong"), feedback, !right && where && say("look", { look: where }), isLast && task.then);
    if (isLast) return reveal();
    field.select(); // what is typed next is another try
  };
  let taken = 0;
  const hint = () => {
    tell("", taken < 4 ? say("hint", { hint: task.hints[taken++] }) : say("no_hints"));
    keep?.hint(task, taken);
  };
  const show = () => {
    keep?.add({ task, skipped: true, right: false, rules: [], json: "null" });
    tell("", say("the_answer", { answer: task.hints[3] }), task.then);
    reveal();
  };
  const giver = data.task?.verdicts && button("answer", say("answer"), give);
  const buttons = made("div", "buttons", giver, button("hint", say("ask_hint"), hint), button("show", say("show_answer"), show));
  const asked = ({ prompt, reason, about, facts, form, options = [], goal, none: nothing }) => {
    const labels = options.map(({ key, text, tables: drawn }, n) => made("label", "", boxes[n], (drawn || !text) && made("b", "", key), text, tablesOf(drawn)));
    const lines = facts?.map(({ text, tables: drawn }) => made("li", "", made("code", "", text), tablesOf(drawn)));
    const isMark = task && isMarked(task), element = made("form", "task",
      made("strong", "", prompt), given(reason, "p", "dim screen"), about && made("p", "", say("about", { element: about })),
      lines && made("ul", "chips stages", lines), goal && made("div", "scroll", made("p", "", say("goal")), tablesOf(goal)),
      (isMark || form === "choices") && made("p", "dim screen", say(`mark_${form}`)), isMark && made("p", "paper", say("mark_on_paper")),
      made("div", form === "choices" ? "options many" : "options", labels, nothing && made("label", "", none, nothing)),
      task && isTyped(task) && made("label", "", say(`type_${form}`), field), task && !giver && made("div", "paper room"), task && buttons, verdict);
    element.addEventListener("change", ({ target }) => {
      if (target !== none) none.checked = false;
      else if (none.checked) {
        for (const box of boxes) box.checked = false;
        marked.clear();
        draw();
      }
    });
    element.addEventListener("submit", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input")) return;
      event.preventDefault();
      give();
    });
    return element;
  };

  /* -- all of it */
  const heading = made("h2"), map = data.map && made("code", "", data.map), { fields = [], tensors = [], reasons = [] } = data;
  const chips = fields.map(({ name, content, note, asked: isAsked }) => made("li", isAsked ? "later" : "", made("b", "", name), made("code", "", content), given(note, "small")));
  const listed = tensors.map(({ text, open }) => [open && made("li", "asked-for", open), made("li", open ? "later" : "", made("code", "", text))]);
  const validity = made("p", join(!data.unchecked && "validity", data.invalid && "invalid"), data.verdict);
  const whole = [
    heading, given(data.stage, "p", "meaning"), made("p", "meaning", data.meaning), map && made("p", join("map", (task?.links || task?.plays) && "later"), map),
    made("div", "facts", made("ul", "chips", chips, listed), made("div", join(task?.rules && "later", reasons.length && "broken"), validity, made("ul", "reasons", reasons.map((each) => made("li", "", each))))),
    given(data.notes, "p", join("notes", task && "later")), given(data.question, "p", "question"), data.question && made("div", "paper room"), data.task && asked(data.task),
    given(data.large, "p", "dim"),
  ];
  if (!page.bare) root.append(...whole.filter(Boolean));
  if (count) root.append(picture, memory, page.bare || !data.key ? "" : made("p", join("key", (task?.links || task?.plays) && "later"), data.key), line, steps);
  const strips = data.memory ? tables.filter((table) => table.data).map(stripOf) : [];
  showIcon(player, "play");
  go(task?.plays ? 0 : count);
  window.addEventListener("resize", draw);
  /* On paper a task is open, whatever was answered. */
  for (const kind of ["beforeprint", "afterprint"])
    window.addEventListener(kind, () => {
      onPaper = kind === "beforeprint";
      draw();
    });
  Object.assign(root, { cells, data, go, look, partners, isOpen, at: (key) => byPlace.get(key), by: (more) => to(step + more) });
};

/* ---- what was answered, until the page is closed; it is saved in a file to hand in */
const keeping = () => {
  const tasks = page.experiments.map(({ task }) => task).filter((task) => task?.id), answers = [], taken = new Map();
  const counted = spoken(made("p", "count")), told = spoken(made("p", "told")), field = input("text", { maxLength: 100 });
  let since = Date.now();
  const tell = () => {
    const count = new Set(answers.map(({ task }) => task)).size;
    counted.textContent = say("answered_count", { count, tasks: tasks.length });
  };
  const fileText = (student) => {
    const head = JSON.stringify({ dmlviz_progress: 1, as: student, lesson: page.lesson ?? "" });
    const lines = answers.map(({ json, ...rest }) => `  {"answer": ${json}, ${JSON.stringify(rest).slice(1)}`);
    return `${head.slice(0, -1)}, "answers": [\n${lines.join(",\n")}\n]}\n`;
  };
  const save = () => {
    const student = field.value.trim(), link = made("a");
    if (!student) {
      told.textContent = say("name_first");
      return field.focus();
    }
    link.download = `${`${page.lesson ?? ""}-${student}`.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")}.json`;
    link.href = URL.createObjectURL(new Blob([fileText(student)], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    told.textContent = say("saved", { file: link.download });
  };
  field.addEventListener("keydown", ({ key }) => key === "Enter" && save());
  const form = made("div", "form", made("label", "", say("your_name"), field), button("save", say("save"), save));
  const box = Object.assign(made("section", "hand-in", made("h2", "", say("hand_in")), counted, form, told), { id: "end" });
  tell();
  return {
    box,
    hint: (task, number) => taken.set(task, number),
    add: ({ task, json, skipped = false, ...rest }) => {
      const time = `${new Date().toISOString().slice(0, 19)}Z`, seconds = Math.max(0, Math.round((Date.now() - since) / 100) / 10);
      answers.push({ json, v: 1, time, task: task.id, ...task.progress, ...rest, rungs: taken.get(task) ?? 0, skipped, seconds, lesson: page.lesson ?? "" });
      since = Date.now();
      tell();
    },
  };
};

/* ---- the page */
const link = (text, href) => Object.assign(made("a", "", text), { href });
const main = document.querySelector("main"), title = made("h1", "", page.title), keep = page.asks && keeping();
const roots = page.experiments.map(({ number, title: name = "" }) => Object.assign(made("section", "dmlviz"), { id: `e${number ?? 1}`, ariaLabel: name }));
if (!page.bare) {
  const kept = keep && made("p", "kept", say("kept"), " ", link(say("to_hand_in"), "#end"));
  const names = made("p", "name-line", made("span", "", say("name_line")), made("span", "", say("date_line")));
  const ways = roots.map((root) => made("li", "", link(root.ariaLabel, `#${root.id}`)));
  main.append(made("header", "", title, given(page.goal, "p", "goal"), kept, names), roots.length > 1 ? made("nav", "", made("ol", "", ways)) : "");
}
main.append(...roots);
roots.forEach((root, n) => start(root, page.experiments[n], page.experiments[n].task?.id && keep));
/* A name that would have said what was asked is told with the answer, the title with the last one. */
main.addEventListener("revealed", ({ target }) => {
  const way = document.querySelector(`nav a[href="#${target.id}"]`);
  if (way) way.textContent = target.querySelector("h2").textContent;
  if (page.then_title && !roots.some((root) => root.isOpen())) document.title = title.textContent = page.then_title;
});
if (keep) main.append(keep.box);
const told = page.experiments.filter(({ task }) => task?.hints).map(({ number = 1, task }) =>
  Object.assign(made("li", "", made("p", "", task.hints[3]), given(task.then, "p")), { value: number }));
if (told.length) main.append(made("section", "answers", made("h2", "", say("answers")), made("ol", "", told)));
/* Where nothing has the focus, keys step what stands in the middle of the window. */
document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (target !== document.body || ctrlKey || metaKey || altKey || !".,".includes(key)) return;
  const root = roots.find((each) => each.getBoundingClientRect().bottom > window.innerHeight / 2) ?? roots.at(-1);
  root?.by(key === "." ? 1 : -1);
});
