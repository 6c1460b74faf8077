"use strict";
(() => {
  const about = JSON.parse(document.querySelector("body > script.class-data").textContent);
  const one = (name, within = document) => within.querySelector(name);
  const say = (key, values = {}) => about.words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  const made = (kind, text = "", name = "") => Object.assign(document.createElement(kind), { textContent: text, className: name });
  const wait = (least) => least * (1 + Math.random() / 2);
  const shown = (element, is) => { if (element.hidden === is) element.hidden = !is; };

  /* {status, body, tag}; the status is 0 where nobody answered. */
  const ask = async (path, how = {}) => {
    const stops = new AbortController(), timer = setTimeout(() => stops.abort(), 8000);
    try {
      const found = await fetch(path, { cache: "no-store", signal: stops.signal, ...how });
      const text = found.status === 304 ? "" : await found.text();
      const isJson = (found.headers.get("Content-Type") ?? "").includes("json");
      return { status: found.status, body: isJson ? JSON.parse(text) : text, tag: found.headers.get("ETag") };
    } catch {
      return { status: 0, body: "", tag: null };
    } finally {
      clearTimeout(timer);
    }
  };
  const giving = (method, body) => ({ method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  const problemOf = ({ body }) => body?.problem ?? say("failed");
  /* Whether the server answers, in a word and a colour. */
  const line = (kind) => {
    const element = one("header .line");
    element.className = `line ${kind}`;
    put(element, say(kind));
  };

  /* ---- a code that is typed: O is 0, I and L are 1, and what stands between letters doesn't count */
  const code = () => {
    const form = one("form.code"), field = one("input", form), told = one(".told", form);
    const typed = () => field.value.toUpperCase().replace(/[^A-Z0-9]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
    const here = location.pathname.slice(1);
    if (here) put(told, say("unknown_code", { code: here }));
    field.focus();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (typed()) location.assign(`/${typed()}`);
    });
  };

  /* ---- the host's phone */
  const host = () => {
    const base = location.pathname.replace(/\/$/, "");
    let busy = false;
    const show = (state) => {
      put(one("h1"), state.title || "dmlviz");
      put(one(".where"), state.own_pace ? say("joined", { count: state.joined }) : say("number", state));
      put(one(".told"), state.own_pace ? "" : state.prompt);
      const counts = [state.own_pace ? "" : say("answered", state), state.lost ? say("lost_phones", { count: state.lost }) : "", state.vote ? say("second_vote") : ""];
      put(one(".counts-line"), counts.filter(Boolean).join(" · "));
      for (const group of document.querySelectorAll(".large, .little")) shown(group, !state.own_pace);
      for (const button of document.querySelectorAll("[data-act]")) button.disabled = busy || !state.left.includes(button.dataset.act);
      const places = one(".places");
      shown(places, state.own_pace);
      if (!state.own_pace) return;
      const table = made("table"), head = made("tr");
      head.append(made("td"), ...state.tasks.map((task, n) => Object.assign(made("th", String(n + 1)), { title: task, scope: "col" })));
      const rows = state.places.map(({ student, step, missed, lost }) => {
        const row = made("tr", "", lost ? "lost" : "");
        row.append(Object.assign(made("th", lost ? `${student} ${say("lost")}` : `${student}`), { scope: "row" }));
        state.tasks.forEach((_, n) => {
          const kind = n >= step ? (n === step ? "at" : "") : missed.includes(n) ? "missed" : "right";
          row.append(made("td", { at: "…", missed: "✘", right: "✔" }[kind] ?? "", kind));
        });
        return row;
      });
      table.append(head, ...rows);
      places.replaceChildren(table);
    };
    const look = async () => {
      const { status, body } = await ask(`${base}/state`);
      if (status === 200) show(body);
      line(status === 200 ? "connected" : "lost");
      if (status === 404 || status === 410) put(one(".told"), say("over"));
    };
    const again = async () => { await look(); setTimeout(again, 1000); };
    for (const button of document.querySelectorAll("[data-act]"))
      button.addEventListener("click", async () => {
        busy = true;
        for (const each of document.querySelectorAll("[data-act]")) each.disabled = true;
        const answer = await ask(`${base}/${button.dataset.act}`, giving("POST", {}));
        busy = false;
        await look();
        if (answer.status !== 200) put(one(".told"), problemOf(answer));
      });
    again();
  };

  /* ---- a student's phone: what it shows follows from the state that the server last told */
  const student = () => {
    const [told, again, reveal, asked, sent, press, next, pictured] = ["told", "again", "reveal", "asked", "sent", "send", "next", "shown"].map((name) => one(`main .${name}`));
    const [number, count] = document.querySelectorAll(".where span");
    let state = null, etag = null, over = "", looking = false, wanted = false, behind = true, heard = Date.now(), polled = 0;
    let root = null, at = "", drawn = "", revealed = "", trouble = "", sending = false, tries = 0, kept = 0;

    /* What this phone gave, by question and vote, until the window is closed: {answer, kept, words}; `kept` once the
       server has it. */
    const place = "dmlviz-class";
    let given = {};
    const store = () => { try { sessionStorage.setItem(place, JSON.stringify(given)); } catch { /* nothing is kept */ } };
    try { given = JSON.parse(sessionStorage.getItem(place)) ?? {}; } catch { /* nothing was kept */ }
    const here = () => `${state.question?.id} ${state.vote}`;
    const mine = () => (state?.question ? given[here()] : undefined);
    const held = () => root?.dmlviz.answer() ?? null;

    /* ---- looking */
    const look = async () => {
      wanted = looking;
      if (looking) return;
      [looking, behind, polled] = [true, true, Date.now()];
      const before = kept, found = await ask("/state", etag ? { headers: { "If-None-Match": etag } } : {});
      looking = false;
      const isNew = found.status === 200 && found.body.rev !== undefined;
      if (found.status) over = { 401: state ? "over" : "cookies", 404: "over", 410: "over" }[found.status] ?? "";
      if (isNew) [state, etag] = [found.body, found.tag];
      if (found.status >= 400 && !over) put(told, problemOf(found));
      line(isNew || found.status === 304 ? (state.away ? "away" : "connected") : "lost");
      if (isNew && before === kept) agree();
      if (state || over) behind = !(await show()) || !(isNew || found.status === 304);
      if (wanted) await look();
    };
    /* The server has the word: an answer may have come from another window, or be lost with a server that was started
       again. A class that begins anew begins with nothing. */
    const agree = () => {
      const of = `${location.pathname} ${state.began}`;
      if (given.of !== of) [given, at] = [{ of }, ""];
      const own = mine(), isSent = !own || own.kept;
      if (own && !own.kept && !state.open) refuse(here());
      else if (own?.kept && state.open && state.mine === null) own.kept = false;
      else if (state.question && isSent && state.mine !== null && state.mine !== own?.answer) {
        given[here()] = { answer: state.mine, kept: true, words: state.mine_text };
        if (held() === null || held() === own?.answer) at = "";
      }
      store();
      send();
    };
    /* What isn't taken isn't shown as if it were. */
    const refuse = (key) => {
      delete given[key];
      at = "";
    };
    const listen = () => {
      const events = new EventSource("/events");
      events.addEventListener("open", () => { heard = Date.now(); look(); });
      events.addEventListener("message", ({ data }) => {
        heard = Date.now();
        const { rev, answered, joined } = JSON.parse(data);
        if (rev !== state?.rev) return look();
        Object.assign(state, { answered, joined });
        where();
      });
      events.addEventListener("over", () => { over = "over"; events.close(); show(); });
      events.addEventListener("error", () => {
        look();
        if (events.readyState === 2) setTimeout(listen, wait(4000));
      });
    };
    setInterval(() => {
      const now = Date.now();
      if ((behind || now - heard > 20000) && !looking && now - polled > wait(2500) && over !== "cookies") look();
    }, 500);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
    for (const kind of ["online", "pageshow"]) window.addEventListener(kind, () => { look(); send(); });
    window.addEventListener("offline", () => line("lost"));

    /* ---- sending: one answer at a time, again and again, until it is kept or refused */
    const send = async () => {
      if (sending || !state) return;
      sending = true;
      for (tries = 0; ; tries++) {
        const entry = Object.entries(given).find(([, each]) => each.kept === false);
        if (!entry) break;
        const [key, own] = entry, [question, vote] = key.split(" ");
        status();
        const found = await ask("/answer", giving("PUT", { question, vote: Number(vote), answer: own.answer }));
        const isSame = given[key] === own, isRefused = found.status === 409 || found.status === 422;
        trouble = (isRefused || found.status === 429) && mine() === own ? problemOf(found) : "";
        if ([401, 404, 410].includes(found.status)) break;
        if (found.status === 200) kept++;
        if (found.status === 200 && isSame) Object.assign(own, { kept: true, words: found.body.words });
        else if (found.status === 409 && isSame) refuse(key);
        else if (isRefused && isSame) delete given[key];  // what is typed stands there to be mended
        store();
        status();
        if (found.status === 200 || found.status === 409) await look();
        else if (!isRefused) await new Promise((go) => setTimeout(go, wait(found.status === 429 ? 1000 : Math.min(500 * 2 ** tries, 8000))));
      }
      sending = false;
      status();
    };
    const give = () => {
      if (held() === null || !state.open) return;
      trouble = "";
      given[here()] = { answer: held(), kept: false };
      store();
      status();
      send();
    };

    /* ---- showing */
    const where = () => {
      put(number, state.question ? say("number", state.question) : "");
      put(count, state.own_pace ? "" : state.question ? ` · ${say("answered", state)}` : say("joined", { count: state.joined }));
    };
    const instant = () => Boolean(root) && !state.own_pace && Boolean(one(".options [type=radio]", root));
    const status = () => {
      const own = mine(), isOpen = Boolean(state?.question) && state.open;
      const isOther = own?.kept && !instant() && held() !== null && held() !== own.answer;
      const kind = !own ? "" : !own.kept ? (tries > 0 ? "trying" : "sending") : state.own_pace && state.reveal ? "" : isOther ? "changed" : state.own_pace ? "sent_own" : "sent";
      put(sent, !isOpen ? "" : trouble || (kind && say(kind, { answer: own.words })));
      sent.className = `sent ${trouble || kind === "trying" ? "bad" : kind.startsWith("sent") ? "kept" : ""}`.trim();
      shown(press, isOpen && Boolean(root) && !instant());
    };
    /* What the page's policy forbids an attribute is set by the program. */
    const dressed = (within) => {
      for (const each of within.querySelectorAll("[data-style]")) each.style.cssText = each.dataset.style;
      const section = one(".dmlviz", within);
      section.dispatchEvent(new Event("dmlviz-start", { bubbles: true }));
      return section;
    };
    /* These two say whether what is to be seen has come. */
    const drawQuestion = async () => {
      const id = state.question?.id ?? "";
      if (drawn !== id) {
        const found = id ? await ask(`/question/${id}`, { cache: "default" }) : { status: 200, body: "" };
        if (found.status !== 200 || (state.question?.id ?? "") !== id) return false;
        asked.innerHTML = found.body;
        root = id ? dressed(asked) : null;
        [drawn, at, trouble] = [id, "", ""];
        root?.addEventListener("change", () => { trouble = ""; if (instant()) give(); else status(); });
        root?.addEventListener("dmlviz-answer", give);
        window.scrollTo(0, 0);
      }
      if (!root) return true;
      if (at !== here()) root.dmlviz.put(mine()?.answer ?? null);
      at = here();
      root.classList.toggle("answered", Boolean(state.reveal?.shown) && !state.open);
      root.classList.toggle("closed", !state.open);
      for (const field of root.querySelectorAll("fieldset")) field.disabled = !state.open;
      for (const [letter, , , right] of state.reveal?.counts ?? [])
        one(`input[name=answer][value="${letter}"]`, root)?.closest("label").classList.toggle("true", right && !state.open);
      return true;
    };
    const drawReveal = () => {
      const found = state.reveal, text = JSON.stringify([found, state.mine_text, state.open]);
      if (revealed === text) return;
      revealed = text;
      const kind = !found ? "" : found.right === null ? "no_answer" : found.right ? "right" : "wrong";
      reveal.className = `reveal ${kind}`.trim();
      if (!found) return reveal.replaceChildren();
      const parts = [made("h2", say(state.open ? "try_again" : kind))], list = made("dl");
      if (state.mine_text && found.right === false) list.append(made("dt", say("your_answer")), made("dd", state.mine_text));
      if (found.answer) list.append(made("dt", say("right_answer")), made("dd", found.answer, "right"));
      if (list.childNodes.length) parts.push(list);
      if (found.feedback) parts.push(made("p", found.feedback));
      if (found.look && found.right === false) parts.push(made("p", say("look", found)));
      if (found.then) parts.push(made("p", found.then));
      const most = Math.max(1, ...(found.counts ?? []).map(([, , n]) => n)), bars = made("ol", "", "counts");
      for (const [letter, words, n, right] of found.counts ?? []) {
        const row = made("li", "", right ? "right" : ""), bar = made("span", "", "share");
        const text = `${words || (letter ? "" : say("rest"))}${right ? " ✔" : ""}${letter && letter === state.mine ? ` · ${say("your_answer")}` : ""}`;
        bar.style.setProperty("--share", `${(100 * n) / most}%`);
        row.append(made("b", letter), made("span", text, "words"), made("span", String(n)), bar);
        bars.append(row);
      }
      if (found.counts) parts.push(bars);
      reveal.replaceChildren(...parts);
      window.scrollTo(0, 0);
    };
    const sheet = one("style").sheet, own = sheet.cssRules.length;
    const drawShown = async () => {
      const id = state.reveal?.shown ?? "";
      if ((pictured.dataset.id ?? "") === id) return true;
      const found = id ? await ask(`/shown/${id}`) : { status: 200, body: "" };
      if (found.status !== 200 || (state.reveal?.shown ?? "") !== id) return false;
      pictured.dataset.id = id;
      pictured.innerHTML = found.body;
      while (sheet.cssRules.length > own) sheet.deleteRule(own);
      if (!id) return true;
      for (const rule of JSON.parse(one("script.colours", pictured).textContent)) sheet.insertRule(rule, sheet.cssRules.length);
      dressed(pictured);
      return true;
    };
    const show = async () => {
      document.body.classList.toggle("over", Boolean(over));
      if (over) {
        if (one("button", told)) return true;
        put(told, say(over));
        if (over === "over") return true;
        const button = Object.assign(made("button", say("again"), "act"), { type: "button" });
        button.addEventListener("click", () => location.reload());
        told.append(button);
        return true;
      }
      const { question, why, open, vote, before } = state;
      document.title = state.title || "dmlviz";
      put(one("h1"), state.title || "dmlviz");
      where();
      put(one("footer p"), say(state.keeps ? "saved" : "kept"));
      const isDrawn = await drawQuestion();
      const ends = why === "end" ? say("firsts", { right: state.right_first, of: state.tasks }) : "";
      const text = why ? `${say(why)} ${ends}`.trim() : question ? "" : say("waiting");
      if (text && told.textContent !== text) window.scrollTo(0, 0);
      put(told, text);
      put(again, question && vote && open ? `${say("second_vote")} ${before && say("first_answer", { answer: before })}` : "");
      drawReveal();
      shown(next, state.next);
      status();
      return (await drawShown()) && isDrawn;
    };
    press.addEventListener("click", () => root?.dmlviz.give());
    next.addEventListener("click", async () => {
      next.disabled = true;
      await ask("/next", giving("POST", { question: state.question?.id }));
      await look();
      next.disabled = false;
      window.scrollTo(0, 0);
    });

    const leave = one("footer .leave");
    leave.addEventListener("blur", () => put(leave, say("leave")));
    leave.addEventListener("click", async () => {
      if (leave.textContent !== say("leave_really")) return put(leave, say("leave_really"));
      if ((await ask("/leave", giving("POST", {}))).status !== 200) return put(leave, say("failed"));
      try { sessionStorage.removeItem(place); } catch { /* nothing is kept */ }
      location.replace("/");
    });
    look();
    listen();
  };

  ({ code, host, class: student })[about.page]();
})();
