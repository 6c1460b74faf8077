"use strict";
(() => {
  const UNWRITTEN = "·";

  /* Values as they are compared: integers exactly, floats rounded to their type, NaN equal to itself. */
  const half = (x) => {
    if (!Number.isFinite(x) || x === 0) return x;
    const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), -14);
    const unit = 2 ** (exponent - 10), whole = Math.floor(x / unit), rest = x / unit - whole;
    return (rest > 0.5 || (rest === 0.5 && whole % 2 !== 0) ? whole + 1 : whole) * unit;
  };
  /* An integer as the float that rounds to a narrower one as the integer itself would: its last bit stays set. */
  const odd = (integer) => {
    const size = integer < 0n ? -integer : integer, spare = size.toString(2).length - 53;
    if (spare <= 0) return Number(integer);
    const kept = size >> BigInt(spare), rest = kept << BigInt(spare) !== size ? 1n : 0n;
    return Number(kept | rest) * 2 ** spare * (integer < 0n ? -1 : 1);
  };
  const LARGEST = { FLOAT16: 65504, FLOAT32: 3.4028234663852886e38, FLOAT64: Number.MAX_VALUE };
  const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const valueOf = (text, type) => {
    if (type in LARGEST) {
      if (Object.hasOwn(SPECIAL, text)) return SPECIAL[text];
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return null;
      const number = type !== "FLOAT64" && /^[+-]?\d+$/.test(text) ? odd(BigInt(text.replace("+", ""))) : Number(text);
      const made = type === "FLOAT16" ? half(number) : type === "FLOAT32" ? Math.fround(number) : number;
      return Math.abs(made) <= LARGEST[type] ? made : null;
    }
    if (!/^[+-]?\d{1,20}$/.test(text)) return null;
    const bits = BigInt(type.replace(/\D/g, "")), signed = type.startsWith("INT");
    const number = BigInt(text.replace("+", "")), most = 2n ** (signed ? bits - 1n : bits);
    return number < most && number >= (signed ? -most : 0n) ? number : null;
  };
  const same = (one, other) => one === other || (one !== one && other !== other);
  const sameAll = (one, other) => one.length === other.length && one.every((each, n) => same(each, other[n]));
  const words = (text) => text.trim().split(/[\s,;]+/).filter((each) => each !== "");

  /* A sentence with what stands in its braces. */
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));

  /* The verdict on an answer: {right, feedback, look}, or {problem} where it can't be read, or is null: none is given.
     "" says that nothing fits. */
  const grade = (task, given, say) => {
    if (given === null) return { problem: say("answer_first") };
    const found = (key) => (Object.hasOwn(task.verdicts, key) ? task.verdicts[key] : null);
    if (task.form === "values") {
      const wanted = words(task.truth).map((each) => valueOf(each, task.type));
      const held = words(given);
      if (held.length !== wanted.length)
        return { problem: say("typed", { found: held.length, count: wanted.length }) };
      const values = held.map((each) => valueOf(each, task.type));
      const bad = values.indexOf(null);
      if (bad >= 0) return { problem: say("no_value", { value: held[bad], type: task.type }) };
      for (const [key, verdict] of Object.entries(task.verdicts))
        if (sameAll(values, words(key).map((each) => valueOf(each, task.type)))) return verdict;
      const first = values.findIndex((each, n) => !same(each, wanted[n]));
      return task.firsts[first] ?? task.other;
    }
    if (task.form === "number") {
      if (!/^\s*\d{1,20}\s*$/.test(given)) return { problem: say("whole_numbers") };
      return found(String(BigInt(given.trim()))) ?? task.other;
    }
    if (task.form === "sizes") {
      const held = words(given.replace(/[{}[\]()]/g, " "));
      if (!held.length || !held.every((each) => /^-?\d{1,20}$/.test(each)))
        return { problem: say("whole_numbers") };
      return found(held.map((each) => String(BigInt(each))).join(" ")) ?? task.other;
    }
    return found(given) ?? (given === "" ? task.none : null) ?? task.other;
  };

  /* An answer that can be read, as the JSON text that progress has of it: integers of any size, cells as `cell` says. */
  const jsonOf = (task, given, cell) => {
    const whole = (text) => String(BigInt(text.replace("+", "")));
    if (task.form === "values") {
      const float = (text) => (Object.hasOwn(SPECIAL, text) ? JSON.stringify(text) : String(Number(text)));
      const values = words(given).map(task.type in LARGEST ? float : whole);
      return task.listed ? `[${values}]` : values[0];
    }
    if (task.form === "number") return whole(given.trim());
    if (task.form === "sizes") {
      const sizes = `[${words(given.replace(/[{}[\]()]/g, " ")).map(whole)}]`;
      return task.kind === "sizes" ? `[${sizes}]` : sizes;
    }
    const each = given.split(" ").filter(Boolean);
    if (task.form === "choices") return JSON.stringify(each);
    if (task.form === "choice") return JSON.stringify(task.kind === "promised" ? given === "true" : task.kind === "lowest" && given === "none" ? null : given);
    return task.form === "input" ? (given === "" ? '"nowhere"' : cell(each[0])) : `[${each.map(cell)}]`;
  };

  /* What was answered on a page, until it is closed; it is saved in a file to hand in. */
  const keeping = (box, roots) => {
    const about = JSON.parse(box.querySelector("script.data").textContent);
    const say = (key, values = {}) => filled(about.words[key], values);
    const one = (name) => box.querySelector(name);
    const tasks = new Map();
    const answers = [], hinted = new Map();
    let since = Date.now();
    const tell = () => {
      const count = new Set(answers.map(({ task }) => task)).size;
      one(".count").textContent = say("answered_count", { count, tasks: tasks.size });
    };
    const line = ({ task, given, skipped, rungs, time, seconds }) => {
      const { right = false, rules = [] } = skipped ? {} : tasks.get(task).grade(given);
      const { operator, kind, seed, json } = tasks.get(task);
      const rest = { v: 1, time, task, operator, kind, seed, right, rules, rungs, skipped, seconds, lesson: about.lesson };
      return `  {"answer": ${skipped ? "null" : json(given)}, ${JSON.stringify(rest).slice(1)}`;
    };
    const fileText = (student) => {
      const asked = [...tasks.values()].map(({ id: task, operator, kind, seed, prompt }) => ({ task, operator, kind, seed, prompt }));
      const head = JSON.stringify({ dmlviz_progress: 1, as: student, lesson: about.lesson, page: about.page, tasks: asked });
      return `${head.slice(0, -1)}, "answers": [\n${answers.map(line).join(",\n")}\n]}\n`;
    };
    const save = () => {
      const field = one("input"), student = field.value.trim();
      if (!student) {
        one(".told").textContent = say("name_first");
        return field.focus();
      }
      const link = document.createElement("a");
      const name = [about.lesson, student].join("-").normalize("NFC");
      link.download = `${name.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")}.json`;
      link.href = URL.createObjectURL(new Blob([fileText(student)], { type: "application/json" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      one(".told").textContent = say("saved", { file: link.download });
    };
    one(".save").addEventListener("click", save);
    one("form").addEventListener("submit", (event) => event.preventDefault());
    one("input").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); save(); } });
    return {
      fileText,
      add: (task, given, skipped = false) => {
        const now = Date.now();
        const time = `${new Date(now).toISOString().slice(0, 19)}Z`, seconds = Math.max(0, Math.round((now - since) / 100) / 10);
        answers.push({ task, given, skipped, rungs: hinted.get(task) ?? 0, time, seconds });
        since = now;
        tell();
      },
      hint: (task, number) => hinted.set(task, number),
      begin: () => {
        for (const { dmlviz } of roots) if (dmlviz.task?.id && dmlviz.task.form !== "none") tasks.set(dmlviz.task.id, dmlviz.task);
        tell();
        box.hidden = document.querySelector(".kept").hidden = false;
      },
    };
  };

  const start = (root, keep, went) => {
    const data = JSON.parse(root.querySelector("script.data").textContent);
    const one = (name) => root.querySelector(name);
    const tables = data.tables ?? [], task = data.task, marked = new Set();
    const count = data.count ?? 0;
    const say = (key, values = {}) => filled(data.words[key], values);
    /* While a task is open, `links` says that colours, partners and formulas are covered, `outputs` that values are. */
    let open = Boolean(task), links = Boolean(task?.links), outputs = Boolean(task?.outputs);
    /* A step by run, copy or slice moves all of `moved`: none once somebody looks at a cell. */
    let step = count, playing = 0, wrong = 0, cursor = null, moved = [];

    /* ---- cells */
    const cells = [], byPlace = new Map();
    const key = (isOutput, number, flat) => `${isOutput ? "o" : "i"}${number}:${flat}`;
    root.querySelectorAll(".picture table").forEach((element, n) => {
      const table = tables[n];
      element.querySelectorAll("tbody td").forEach((td, k) => {
        const flat = table.flat[k], letter = td.querySelector("i"), text = td.lastChild;
        const cell = { td, table, k, flat, letter, text, value: text.data, row: td.parentNode.rowIndex };
        cells.push(cell);
        byPlace.set(key(table.out, table.number, flat), cell);
      });
    });
    const indexOf = (cell) => {
      let rest = cell.flat;
      const index = [...cell.table.sizes].reverse().map((size) => {
        const at = rest % size;
        rest = (rest - at) / size;
        return at;
      });
      return index.reverse();
    };
    const name = (cell) => `${cell.table.path}[${indexOf(cell).join(",")}]`;
    /* What a cell holds is shown; and where it comes from, or goes to, is told. */
    const shows = (cell) => {
      if (!cell.table.out) return true;
      return !outputs && cell.table.told[cell.k] <= step && !isCovered(cell);
    };
    const tells = (cell) => !cell.table.out || (!links && shows(cell));
    const asked = (cell) => {
      const { table, flat } = cell;
      if (!task?.at) return false;
      const [isOutput, number, first, behind] = task.at;
      return table.out === isOutput && table.number === number && flat >= first && flat < behind;
    };
    /* While steps are shown before the answer, none writes what is asked, nor tells a colour by it. */
    const plays = () => open && Boolean(task.plays);
    const covers = new Set((task?.covers ?? []).map(([number, flat]) => key(true, number, flat)));
    const isCovered = ({ table, flat }) => plays() && table.out && covers.has(key(true, table.number, flat));
    const writing = new Set(cells.filter((cell) => cell.table.out && !isCovered(cell)).map((cell) => cell.table.told[cell.k]));
    const isTold = (cell, at) => at <= step && (cell.table.out ? !isCovered(cell) : !plays() || writing.has(at));
    const source = (cell) => byPlace.get(key(false, cell.table.source[cell.k], cell.table.from[cell.k]));
    const via = (cell) => (cell.table.via ? byPlace.get(key(false, cell.table.by, cell.table.via[cell.k])) : undefined);
    const partners = (cell) => {
      if (!cell.table.out) return cells.filter((each) => each.table.out && tells(each) && [source(each), via(each)].includes(cell));
      return tells(cell) ? [source(cell), via(cell)].filter(Boolean) : [];
    };
    const said = (cell) => {
      const { table, k } = cell;
      if (!shows(cell)) return `${name(cell)} = · ${say(open ? "told_later" : "not_written")}`;
      if (!tells(cell)) return `${name(cell)} = ${cell.value}`;
      if (table.out) return table.said[k];
      if (!links && step >= count && !plays()) return table.said[k];
      const readers = partners(cell), named = readers.slice(0, 3).map(name).join(", ");
      const none = links || plays() ? "" : say(table.data ? "not_read" : "sends_nothing");
      const more = [readers.length > 3 ? say("and_more") : "", step < count || plays() ? say("so_far") : ""];
      const tail = readers.length ? join(say(table.data ? "is_read_by" : "sends"), named, ...more) : none;
      return `${name(cell)} = ${cell.value} ${tail}`.trim();
    };

    /* ---- what is seen */
    const draw = () => {
      for (const each of root.querySelectorAll(".blocks")) each.hidden = links || plays() || step < count;
      const shown = new Set();
      const near = new Set(moved.length ? moved.flatMap(partners) : cursor ? partners(cursor) : []);
      for (const cell of cells) {
        const { td, table, k } = cell, known = shows(cell), told = !links && isTold(cell, table.told[k]);
        const classes = [];
        if (told && table.identity[k] >= 0) {
          classes.push(`i${table.identity[k]}`);
          if (table.shade[k] !== -1 && isTold(cell, table.placed[k])) classes.push(`s${table.shade[k] < 0 ? "m" : table.shade[k]}`);
        }
        if (known && !links && table.sign[k]) classes.push(table.sign[k] === "!" ? "clamped" : "negative");
        if (!links && step >= count && !plays() && table.unread[k]) classes.push("unread");
        const last = step < count || moved.length;
        if (!links && step > 0 && last && table.out && told && table.told[k] === step) classes.push("step");
        if (!known) classes.push("unwritten");
        if (asked(cell)) classes.push("asked");
        if (near.has(cell)) classes.push("partner");
        if (marked.has(cell)) classes.push("marked");
        if (cell === cursor) classes.push("cursor");
        td.className = classes.join(" ");
        cell.text.data = known ? cell.value : UNWRITTEN;
        if (cell.letter) cell.letter.hidden = !told;
        shown.add(told ? table.identity[k] : -1);
      }
      for (const each of root.querySelectorAll(".key [data-identity]")) each.hidden = !shown.has(Number(each.dataset.identity));
      wire(cells.filter((cell) => near.has(cell)));
      remember(near);
    };

    /* Linear memory: the cells of a tensor once more, in address order, of those tensors that are looked at. */
    const memory = one(".memory");
    const gap = () => Object.assign(document.createElement("td"), { className: "gap", textContent: "…" });
    const inMemory = tables.filter((table) => memory && table.memory).map((table) => {
      const own = cells.filter((cell) => cell.table === table).sort((one_, other) => one_.flat - other.flat);
      const [row, title, scroll, whole, line] = ["div", "p", "div", "table", "tr"].map((kind) => document.createElement(kind));
      const size = table.sizes.reduce((all, n) => all * n, 1);
      const copies = own.map((cell, n) => {
        if (cell.flat !== (n ? own[n - 1].flat + 1 : 0)) line.append(gap());
        line.append(cell.td.cloneNode(true));
        return Object.assign(line.lastChild, { className: "" }); // no mark, until it is shown
      });
      if (own.length && own.at(-1).flat < size - 1) line.append(gap());
      Object.assign(scroll, { className: "scroll", tabIndex: 0, role: "group", ariaLabel: table.memory[0] });
      whole.style.cssText = own[0]?.td.closest("table").style.cssText ?? "";
      whole.append(line);
      scroll.append(whole);
      row.append(title, scroll);
      memory.append(row);
      return { table, own, copies, row, title, scroll };
    });
    const remember = (near) => {
      if (!memory) return;
      memory.hidden = open && "later" in memory.dataset;
      if (memory.hidden) return;
      const seen = new Set([...near, ...moved, ...(cursor ? [cursor] : [])].map((cell) => cell.table));
      const first = (out) => inMemory.find(({ table }) => table.out === out)?.table;
      if (!cursor) [false, true].forEach((out) => seen.add(first(out)));
      for (const { table, own, copies, row, title, scroll } of inMemory) {
        row.hidden = !seen.has(table) || own.every((cell) => cell.td.closest(".covered") && open);
        const marked_ = own.filter((cell) => (table.out ? moved.includes(cell) : moved.length && near.has(cell))).map((cell) => cell.flat);
        const [from, to] = [marked_[0] * table.item, (marked_.at(-1) + 1) * table.item - 1].map((n) => n.toLocaleString("en"));
        title.textContent = marked_.length ? filled(table.memory[1], { first: from, last: to }) : table.memory[0];
        copies.forEach((td, n) => {
          const { td: cell, letter, text } = own[n];
          td.className = cell.className;
          td.lastChild.data = text.data;
          if (letter) td.firstChild.hidden = letter.hidden;
        });
        const at = own.findIndex((cell) => moved.includes(cell) || near.has(cell) || cell === cursor);
        if (at >= 0 && !row.hidden) scroll.scrollLeft = copies[at].offsetLeft - scroll.clientWidth / 3;
      }
    };

    /* Lines from sources to what is made of them; they run in the gaps between rows, and cross no value. */
    const SVG = "http://www.w3.org/2000/svg", MOST_WIRES = 32;
    const wires = document.createElementNS(SVG, "svg");
    wires.setAttribute("class", "wires");
    wires.setAttribute("aria-hidden", "true");
    one(".picture")?.append(wires);
    /* The first and the last of each stretch of neighbours in a row. */
    const stretches = (some) => {
      const rows = [];
      for (const cell of some) {
        const row = rows.at(-1);
        if (row && row[1].table === cell.table && row[1].row === cell.row && row[1].k + 1 === cell.k) row[1] = cell;
        else rows.push([cell, cell]);
      }
      return rows;
    };
    const wire = (near) => {
      wires.replaceChildren();
      if (!cursor || (!moved.length && near.length > MOST_WIRES)) return;
      const frame = one(".picture").getBoundingClientRect();
      const boxOf = (cell) => cell.td.getBoundingClientRect(), paneOf = (cell) => cell.td.closest(".scroll").getBoundingClientRect();
      const [x, y] = [(at) => Math.round(at - frame.left), (box) => Math.round(box.bottom + 2 - frame.top)];
      const draw_ = (d, kind) => {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", d);
        if (kind) path.setAttribute("class", kind);
        wires.append(path);
      };
      const rows = moved.length ? stretches(cells.filter((cell) => near.includes(cell) || moved.includes(cell))) : [];
      for (const row of rows) {
        const [left, right] = row.map(boxOf), pane = paneOf(row[0]);
        const from = Math.max(left.left + 6, pane.left), to = Math.min(right.right - 6, pane.right);
        if (from < to) draw_(`M${x(from)} ${y(left)}H${x(to)}`, "below");
      }
      const target = moved.find((cell) => partners(cell).length);
      for (const each of target ? partners(target) : moved.length ? [] : near) {
        const [from, to] = target ? [each, target] : cursor.table.out ? [each, cursor] : [cursor, each];
        const [one_, other] = [from, to].map(boxOf), [left, right] = [from, to].map(paneOf);
        const seen = one_.left >= left.left && one_.left < left.right && other.left >= right.left && other.left < right.right;
        if (!seen || right.left <= left.right) continue;  // scrolled away, or one below the other
        const row = rows.find(([first, last]) => first.table === from.table && first.k <= from.k && from.k <= last.k);
        const ends = row ? [Math.min(boxOf(row[1]).right - 6, left.right), other.left + 6] : [one_.left + 6, other.right - 6];
        const [start, out, into, end] = [ends[0], left.right, right.left, ends[1]].map(x), middle = (out + into) / 2;
        draw_(`M${start} ${y(one_)}H${out}C${middle} ${y(one_)} ${middle} ${y(other)} ${into} ${y(other)}H${end}`, row && "lead");
      }
    };
    window.addEventListener("resize", () => draw());
    const join = (...texts) => texts.filter(Boolean).join(" ");
    const tell = (text) => {
      const line = one(".formula");
      if (line && line.textContent !== text) line.textContent = text;
    };
    const look = (cell) => {
      cursor = cell;
      moved = [];
      draw();
      tell(cell ? said(cell) : "");
    };
    const go = (wanted) => {
      if (links) return;
      const before = step;
      step = Math.min(Math.max(wanted, 0), count);
      const writes = cells.filter((cell) => cell.table.out && cell.table.told[cell.k] === step);
      const written = writes.find((cell) => !isCovered(cell)), tells_all = data.captions && !writes.some(isCovered);
      if (step < count || before === count - 1) cursor = step > 0 ? written ?? null : null;
      moved = cursor && cursor === written && tells_all && data.lit ? writes : [];
      draw();
      const line = one(".now");
      line.textContent = say(step >= count && !plays() ? "all_written" : "step_of", { step, count });
      one(".steps input").value = String(step);
      tell(!cursor ? "" : cursor === written && tells_all ? data.captions[step] : said(cursor));
    };

    if (root.closest(".handout")) {
      step = task?.plays ? 0 : count;
      return draw();
    }

    /* ---- steps */
    const stop = () => { clearInterval(playing); playing = 0; playButton(say("play")); };
    const playButton = (label) => {
      const button = one(".play");
      button.classList.toggle("playing", Boolean(playing));
      button.setAttribute("aria-label", label);
      button.title = label;
    };
    const play = () => {
      if (playing) return stop();
      if (step >= count) go(0);
      playing = setInterval(() => { go(step + 1); if (step >= count) stop(); }, Math.max(120, Math.min(900, 12000 / count)));
      playButton(say("stop"));
    };
    /* Where somebody is, as the address of the page says it; an open task hides its steps. */
    const first = tables.find(({ out }) => out)?.path;
    const placeOf = (cell) => (cell.table.path === first ? indexOf(cell).join(",") : name(cell));
    const here = () => [links ? "" : `step=${step}`, cursor ? `cell=${placeOf(cursor)}` : ""].filter(Boolean);
    const controls = one(".steps");
    if (controls) {
      controls.hidden = links;
      const by = { first: () => go(0), back: () => go(step - 1), next: () => go(step + 1), last: () => go(count) };
      for (const [each, act] of Object.entries(by)) one(`.${each}`).addEventListener("click", () => { if (playing) stop(); act(); went?.(here); });
      one(".play").addEventListener("click", play);
      one(".steps input").addEventListener("input", (event) => { if (playing) stop(); go(Number(event.target.value)); went?.(here); });
      root.addEventListener("keydown", (event) => {
        if (event.target.matches("input[type=text], input[type=radio], input[type=checkbox]") || event.ctrlKey || event.metaKey || event.altKey) return;
        const act = { ".": by.next, ",": by.back, "PageDown": by.next, "PageUp": by.back }[event.key];
        if (act && !links) { act(); went?.(here); event.preventDefault(); }
      });
    }

    /* ---- cells under the pointer and the keyboard */
    const marks = () => task && ["input", "inputs", "outputs"].includes(task.form);
    const cellOf = (event) => cells.find((cell) => cell.td === event.target.closest?.("td"));
    const picture = one(".picture");
    let rove = look;
    const mark = (cell) => {
      if (!open || !marks() || cell.table.out !== (task.form === "outputs")) return;
      const had = marked.has(cell);
      if (task.form === "input") marked.clear();
      if (had) marked.delete(cell); else marked.add(cell);
      sayNone(false);
      draw();
      tell(say(had ? "unmarked" : "marked", { name: name(cell) }));
      root.dispatchEvent(new Event("change"));
    };
    if (picture) {
      picture.addEventListener("pointerover", (event) => { const cell = cellOf(event); if (cell && event.pointerType !== "touch") look(cell); });
      picture.addEventListener("focusin", (event) => { const cell = cellOf(event); if (cell) look(cell); });
      picture.addEventListener("click", (event) => {
        const cell = cellOf(event);
        if (!cell) return;
        rove(cell);
        mark(cell);
        went?.(here);
      });
      rove = (cell) => {
        for (const each of cells) if (each.table === cell.table) each.td.tabIndex = -1;
        cell.td.tabIndex = 0;
        cell.td.focus();
      };
      tables.forEach((table) => { const first = cells.find((cell) => cell.table === table); if (first) first.td.tabIndex = 0; });
      picture.addEventListener("keydown", (event) => {
        const cell = cellOf(event);
        if (!cell) return;
        if (event.key === " " || event.key === "Enter") { mark(cell); event.preventDefault(); return; }
        const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cell.table.columns, ArrowDown: cell.table.columns }[event.key];
        const within = cells.filter((each) => each.table === cell.table);
        const to = event.key === "Home" ? within[0] : event.key === "End" ? within.at(-1) : by && within[cell.k + by];
        if (by && Math.abs(by) === 1 && to && to.row !== cell.row && cell.table.columns > 1) { event.preventDefault(); return; }
        if (to) { rove(to); went?.(here); event.preventDefault(); }
      });
    }

    /* ---- the task */
    const none = one(".task input[name=none]"), field = one(".task input[type=text]");
    const sayNone = (checked) => { if (none) none.checked = checked; };
    const chosen = () => [...root.querySelectorAll(".task input[name=answer]:checked")];
    const answer = () => {
      if (none?.checked) return "";
      if (marks()) {
        if (!marked.size) return null;
        const places = [...marked].map((cell) => [cell.table.number, cell.flat]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        return places.map((each) => each.join(":")).join(" ");
      }
      if (!task.form.startsWith("choice")) return field.value.trim() === "" ? null : field.value;
      return chosen().length ? chosen().map((each) => each.value).sort().join(" ") : null;
    };
    const reveal = () => {
      open = links = outputs = false;
      marked.clear();
      root.classList.remove("open");
      if (heading) named(heading.dataset.then);
      if (controls) { controls.hidden = false; go(count); } else draw();
      const line = one(".task .verdict");
      line.tabIndex = -1;
      line.focus({ preventScroll: true });
      one(".task .buttons").hidden = true;
    };
    /* A name that would have said what was asked is told with the answer; the title with the last one. */
    const named = (text) => {
      one("h2").textContent = text;
      root.setAttribute("aria-label", text);
      const way = root.id && document.querySelector(`nav a[href="#${root.id}"]`);
      if (way) way.textContent = text;
      const isOpen = document.querySelector(".dmlviz.open h2[data-then]");
      if (title) document.title = title.textContent = isOpen ? openTitle : title.dataset.then;
    };
    const title = document.querySelector("h1[data-then]"), openTitle = title?.textContent;
    if (task) {
      const line = one(".task .verdict"), hints = [...(task.hints ?? [])], graded = keep && task.form !== "none";
      const speak = (text, kind = "") => {
        line.className = `verdict ${kind}`.trim();
        line.textContent = text;
      };
      const words_of = ({ right, feedback, look }) =>
        join(say(right ? "right" : "wrong"), feedback, right || !look ? "" : say("look", { look }), right || wrong > 0 ? task.then : "");
      one(".task .buttons").hidden = false;
      one(".task").addEventListener("change", ({ target }) => {
        if (target !== none) sayNone(false);
        else if (none.checked) {
          chosen().forEach((each) => { each.checked = false; });
          marked.clear();
          draw();
        }
      });
      /* No form is sent: a course's frame may forbid it. */
      one(".task").addEventListener("submit", (event) => event.preventDefault());
      one(".task").addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !event.target.matches("input")) return;
        event.preventDefault();
        give();
      });
      one(".answer")?.addEventListener("click", () => give());
      const judge = (verdict) => {
        speak(words_of(verdict), verdict.right ? "right" : "wrong");
        wrong += !verdict.right;
        if (verdict.right || wrong > 1) reveal();
      };
      const show = () => {
        speak(join(say("the_answer", { answer: task.shown }), task.then));
        reveal();
      };
      const give = () => {
        if (!open || task.form === "none") return;
        const given = answer();
        /* In a class somebody else grades it. */
        if (task.sent && given !== null) {
          speak("");
          return root.dispatchEvent(new Event("dmlviz-answer"));
        }
        const verdict = grade(task, given, say);
        if (!verdict.problem && graded) keep.add(task.id, given);
        if (verdict.problem) speak(verdict.problem, "wrong"); else judge(verdict);
        line.scrollIntoView({ block: "nearest" });
        if (!open) return;
        field?.focus({ preventScroll: true });
        field?.select();  // what is typed next is another try
      };
      one(".show")?.addEventListener("click", () => {
        if (graded) keep.add(task.id, null, true);
        show();
      });
      one(".hint")?.addEventListener("click", () => {
        speak(hints.length ? say("hint", { hint: hints.shift() }) : say("no_hints"));
        if (graded) keep.hint(task.id, task.hints.length - hints.length);
        line.scrollIntoView({ block: "nearest" });
      });
      const side = task.form === "outputs" ? "o" : "i", boxes = [...root.querySelectorAll(".task input[name=answer]")];
      const parts = (given) => given.split(" ").filter(Boolean);
      /* null stands for no answer. */
      const put = (given) => {
        const each_ = parts(given ?? "");
        sayNone(given === "");
        marked.clear();
        if (field) field.value = given ?? "";
        else if (marks()) each_.forEach((each) => marked.add(byPlace.get(side + each)));
        else boxes.forEach((each) => { each.checked = each_.includes(each.value); });
        draw();
      };
      const cellJson = (place) => {
        const cell = byPlace.get(side + place);
        return JSON.stringify({ [cell.table.out ? "output" : "tensor"]: cell.table.number, index: indexOf(cell) });
      };
      task.page = { put, give, grade: (given) => grade(task, given, say), json: (given) => jsonOf(task, given, cellJson) };
    }
    if (controls && !links) go(task?.plays ? 0 : count); else draw();

    /* On paper a task is open, whatever was answered. */
    const heading = one("h2[data-then]"), openName = heading?.textContent;
    let before = null;
    window.addEventListener("beforeprint", () => {
      if (before) return;
      before = { open, links, outputs, step, cursor, moved, marks: [...marked] };
      [open, links, outputs, cursor, moved] = [Boolean(task), Boolean(task?.links), Boolean(task?.outputs), null, []];
      step = task?.plays ? 0 : count;
      root.classList.toggle("open", open);
      if (heading) named(openName);
      marked.clear();
      draw();
    });
    window.addEventListener("afterprint", () => {
      if (!before) return;
      ({ open, links, outputs, step, cursor, moved } = before);
      root.classList.toggle("open", open);
      if (heading && !open) named(heading.dataset.then);
      before.marks.forEach((each) => marked.add(each));
      before = null;
      draw();
    });

    /* What keys, addresses and tests ask the page itself. */
    root.dmlviz = {
      task: task && { ...task, ...task.page, prompt: one(".task legend")?.textContent },
      answer: () => (task ? answer() : null),
      put: (given) => task?.page.put(given),
      give: () => task?.page.give(),
      /* Goes to a step and a cell of an address; what there isn't is left out. */
      open: (wanted, place) => {
        root.scrollIntoView();
        if (count && /^\d{1,9}$/.test(wanted) && Number(wanted) <= count) go(Number(wanted));
        const cell = cells.find((each) => placeOf(each) === place || name(each) === place);
        if (!cell || (open && cell.td.closest(".covered"))) return;
        rove(cell);
        look(cell);
      },
      go,
      move: (by) => { if (count) go(step + by); },
      table: (n) => cells.filter((cell) => cell.table === tables[n]).map((cell) => cell.text.data),
      classed: (kind) => cells.filter((cell) => cell.td.classList.contains(kind)).map((cell) => [cell.table.out, cell.table.number, cell.flat]),
      near: () => root.dmlviz.classed("partner"),
      partners: (n, k) => {
        look(cells.find((cell) => cell.table === tables[n] && cell.k === k));
        return root.dmlviz.near();
      },
      said: () => one(".formula").textContent,
      cell: (isOutput, number, flat) => byPlace.get(key(isOutput, number, flat)).td,
      grade: (given) => grade(task, given, say),
    };
  };

  /* In a notebook each stands in a shadow root of its own. */
  const shadows = Array.from(document.querySelectorAll("[data-dmlviz]"), (host) => host.shadowRoot).filter(Boolean);
  const starting = [document, ...shadows].flatMap((within) => [...within.querySelectorAll(".dmlviz:not([data-on])")]);
  const box = document.querySelector("main > .hand-in"), roots = [...document.querySelectorAll("main:not(.handout) > .dmlviz")];
  const keep = box && keeping(box, roots);

  /* The address says where somebody is, in place of what it said: going back leads to the page before. */
  let waits = 0;
  const went = (root) => (here) => {
    clearTimeout(waits);
    const parts = () => [`experiment=${roots.indexOf(root) + 1}`, ...here()].join("&");
    waits = setTimeout(() => { try { history.replaceState(null, "", `#${parts()}`); } catch { /* a frame may forbid it */ } }, 250);
  };
  for (const root of starting) {
    root.setAttribute("data-on", "");
    start(root, keep, roots.includes(root) ? went(root) : null);
  }
  keep?.begin();
  /* What is put into the page later is started by whoever puts it there. */
  document.addEventListener("dmlviz-start", ({ target }) => { target.setAttribute("data-on", ""); start(target, null, null); });

  /* #experiment=2&step=5&cell=0,1, numbered as the page shows it; what there isn't is left out. */
  const follow = () => {
    const parts = new URLSearchParams(location.hash.slice(1)), number = parts.get("experiment") ?? "1";
    if (!["experiment", "step", "cell"].some((each) => parts.has(each)) || !/^\d{1,6}$/.test(number)) return;
    roots[number - 1]?.dmlviz.open(parts.get("step"), parts.get("cell"));
  };
  if (roots.length) {
    window.addEventListener("hashchange", follow);
    follow();
  }

  /* Where nothing has the focus, keys step what stands in the middle of the window. */
  if (roots.length)
    document.addEventListener("keydown", (event) => {
      if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey || !".,".includes(event.key)) return;
      const middle = window.innerHeight / 2;
      const root = roots.find((each) => each.getBoundingClientRect().bottom > middle) ?? roots.at(-1);
      root.dmlviz.move(event.key === "." ? 1 : -1);
    });
})();
