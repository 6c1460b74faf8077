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
    const here = decodeURIComponent(location.pathname.slice(1));
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
    let state = null, etag = null, over = "", looking = false, wanted = false, heard = Date.now(), polled = 0;
    let root = null, at = "", drawn = "", revealed = "", trouble = "", sending = false, tries = 0;

    /* What this phone gave, by question and vote, until the window is closed: {answer, kept}; `kept` once the server has it. */
    const given = {
      place: "dmlviz-class",
      all: {},
      store() { try { sessionStorage.setItem(this.place, JSON.stringify(this.all)); } catch { /* nothing is kept */ } },
    };
    try { given.all = JSON.parse(sessionStorage.getItem(given.place)) ?? {}; } catch { /* nothing was kept */ }
    const placeOf = (question, vote) => `${question} ${vote}`;
    const mine = () => (state?.question ? given.all[placeOf(state.question.id, state.vote)] : undefined);

    /* ---- looking */
    const look = async () => {
      wanted = looking;
      if (looking) return;
      looking = true;
      polled = Date.now();
      const found = await ask("/state", etag ? { headers: { "If-None-Match": etag } } : {});
      looking = false;
      over = { 401: "cookies", 404: "over", 410: "over" }[found.status] ?? "";
      if (found.status === 200) [state, etag] = [found.body, found.tag];
      if (found.status === 200 && given.all.began !== state.began) given.all = { began: state.began };  // begun anew
      if (found.status >= 400 && !over) put(told, problemOf(found));
      line(found.status === 200 || found.status === 304 ? (state?.away ? "away" : "connected") : "lost");
      if (found.status === 200) await resend();
      if (state || over) await show();
      if (wanted) await look();
    };
    /* A server that was started again may have lost what it had kept. */
    const resend = async () => {
      const own = mine();
      if (own?.kept && state.mine === null && state.open) own.kept = false;
      if (own && !own.kept && !state.open) {
        delete given.all[placeOf(state.question.id, state.vote)];
        given.store();
      } else if (own && !own.kept) send();
    };
    const listen = () => {
      const events = new EventSource("/events");
      events.addEventListener("open", () => { heard = Date.now(); look(); });
      events.addEventListener("message", ({ data }) => {
        heard = Date.now();
        const { rev, answered, joined } = JSON.parse(data);
        if (!state || rev !== state.rev) look();
        else { Object.assign(state, { answered, joined }); count(); }
      });
      events.addEventListener("error", () => {
        look();
        if (events.readyState === 2) setTimeout(listen, wait(4000));
      });
    };
    setInterval(() => {
      const now = Date.now();
      if (now - heard > 20000 && now - polled > wait(2500) && over !== "cookies") look();
    }, 500);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
    for (const kind of ["online", "pageshow"]) window.addEventListener(kind, () => { look(); send(); });
    window.addEventListener("offline", () => line("lost"));

    /* ---- sending: one answer at a time, again and again, until it is kept or refused */
    const send = async () => {
      if (sending) return;
      sending = true;
      for (tries = 0; ; tries++) {
        const entry = Object.entries(given.all).find(([, { kept }]) => kept === false);
        if (!entry) break;
        const [place, own] = entry, [question, vote] = place.split(" "), { answer } = own;
        status();
        const found = await ask("/answer", giving("PUT", { question, vote: Number(vote), answer }));
        const said = [409, 422, 429].includes(found.status) && mine() === own ? problemOf(found) : "";
        if (found.status === 200 && given.all[place]?.answer === answer) own.kept = true;
        else if (found.status === 409 || found.status === 422) {
          if (given.all[place]?.answer === answer) delete given.all[place];
        } else if (found.status === 401 || found.status === 404) break;
        trouble = said;
        given.store();
        status();
        if (found.status === 200 || found.status === 409) await look();
        if (found.status === 0 || found.status >= 500 || found.status === 429) await new Promise((go) => setTimeout(go, wait(Math.min(500 * 2 ** tries, 8000))));
      }
      sending = false;
      status();
    };
    const give = () => {
      const answer = root?.dmlviz.answer();
      if (answer === null || answer === undefined || !state.open) return;
      trouble = "";
      given.all[placeOf(state.question.id, state.vote)] = { answer, kept: false };
      given.store();
      status();
      send();
    };

    /* ---- showing */
    const count = () => put(one(".where"), [state.question ? say("number", state.question) : "", state.own_pace ? "" : state.question ? say("answered", state) : say("joined", { count: state.joined })].filter(Boolean).join(" · "));
    const textOf = (answer) => {
      const field = root && one("input[type=text]", root);
      const names = root ? answer.split(" ").map((each) => [...root.querySelectorAll("input[name=answer]")].find(({ value }) => value === each && !field)?.value ?? "") : [];
      return field ? answer : names.filter(Boolean).join(", ");
    };
    const status = () => {
      const own = mine(), isOpen = Boolean(state?.question) && state.open;
      const answered = own?.kept || (!own && state?.mine !== null && state?.mine !== undefined);
      const text = own && !own.kept ? (tries > 0 ? "trying" : "sending") : !answered || (state.own_pace && state.reveal) ? "" : state.own_pace ? "sent_own" : "sent";
      const now = root?.dmlviz.answer(), last = own ? own.answer : state?.mine;
      const isOther = isOpen && !instant() && answered && now !== null && now !== undefined && now !== last;
      const answer = (last === state?.mine && state?.mine_text) || textOf(last ?? "");
      put(sent, isOpen && trouble ? trouble : !isOpen || !text ? "" : isOther ? say("changed") : say(text, { answer }));
      sent.className = `sent ${trouble || text === "trying" ? "bad" : isOther || text === "sending" ? "" : "kept"}`.trim();
      shown(sent, Boolean(sent.textContent));
      shown(press, isOpen && Boolean(root) && !instant());
    };
    const instant = () => Boolean(root) && !state.own_pace && Boolean(one(".options.letters", root));
    /* What the page's policy forbids an attribute is set by the program. */
    const dressed = (within) => {
      for (const each of within.querySelectorAll("[data-style]")) each.style.cssText = each.dataset.style;
      const section = one(".dmlviz", within);
      section.dispatchEvent(new Event("dmlviz-start", { bubbles: true }));
      return section;
    };
    const drawQuestion = async () => {
      const id = state.question?.id ?? "", wants = id && state.why !== "wall" ? id : "";
      if (drawn !== wants) {
        const found = wants ? await ask(`/question/${wants}`, { cache: "default" }) : { status: 200, body: "" };
        if (found.status !== 200 || (state.question?.id ?? "") !== id) return;
        asked.innerHTML = found.body;
        root = wants ? dressed(asked) : null;
        [drawn, at, trouble] = [wants, "", ""];
        root?.addEventListener("change", () => { trouble = ""; if (instant()) give(); else status(); });
        root?.addEventListener("dmlviz-answer", give);
        window.scrollTo(0, 0);
      }
      if (!root) return;
      const now = `${id} ${state.vote}`;
      if (at !== now) {
        root.dmlviz.put(mine()?.answer ?? state.mine);
        at = now;
      }
      root.classList.toggle("answered", Boolean(state.reveal) && !state.open);
      for (const field of root.querySelectorAll("fieldset")) field.disabled = !state.open;
      root.classList.toggle("closed", !state.open);
      if (state.reveal?.counts) for (const [letter, , , right] of state.reveal.counts)
        for (const input of root.querySelectorAll("input[name=answer]"))
          if (input.value === letter) input.closest("label").classList.toggle("true", right && !state.open);
    };
    /* Of several choices their sentences, in place of what they are called. */
    const spoken = (text) => {
      const sentence = (each) => [...(root?.querySelectorAll(".many input[name=answer]") ?? [])].find(({ value }) => value === each)?.closest("label").textContent;
      return text.split(", ").map((each) => sentence(each) ?? each).join(root && one(".many", root) ? " " : ", ");
    };
    const drawReveal = () => {
      const found = state.reveal, text = JSON.stringify([found, state.mine_text, state.open]);
      shown(reveal, Boolean(found));
      if (revealed === text) return;
      revealed = text;
      if (!found) return reveal.replaceChildren();
      const kind = found.right === null ? "no_answer" : found.right ? "right" : "wrong";
      const parts = [made("h2", say(state.open ? "try_again" : kind))];
      const list = made("dl");
      if (state.mine_text && found.right === false) list.append(made("dt", say("your_answer")), made("dd", spoken(state.mine_text)));
      if (found.answer) list.append(made("dt", say("right_answer")), made("dd", spoken(found.answer), "right"));
      if (list.childNodes.length) parts.push(list);
      if (found.feedback) parts.push(made("p", found.feedback));
      if (found.look && found.right === false) parts.push(made("p", say("look", found), "look"));
      if (found.then) parts.push(made("p", found.then));
      if (found.counts) {
        const most = Math.max(1, ...found.counts.map(([, , n]) => n)), bars = made("ol", "", "counts");
        for (const [letter, words, n, right] of found.counts) {
          const row = made("li", "", right ? "right" : ""), bar = made("span", "", "bar"), isMine = letter && letter === state.mine;
          bar.style.setProperty("--share", `${(100 * n) / most}%`);
          row.append(...(letter ? [made("b", letter)] : []), made("span", `${spoken(words) || (letter ? "" : say("rest"))}${right ? " ✔" : ""}${isMine ? ` · ${say("your_answer")}` : ""}`, "words"), made("span", String(n), "n"), bar);
          bars.append(row);
        }
        parts.push(bars);
      }
      reveal.replaceChildren(...parts);
      reveal.className = `reveal ${kind}`;
      window.scrollTo(0, 0);
    };
    const sheet = one("style").sheet, own = sheet.cssRules.length;
    const drawShown = async () => {
      const id = state.reveal?.shown ?? "";
      if (pictured.dataset.id === id) return;
      const found = id ? await ask(`/shown/${id}`) : { status: 200, body: "" };
      if (found.status !== 200 || (state.reveal?.shown ?? "") !== id) return;
      pictured.dataset.id = id;
      pictured.innerHTML = found.body;
      while (sheet.cssRules.length > own) sheet.deleteRule(own);
      if (!id) return;
      for (const rule of JSON.parse(one("script.colours", pictured).textContent)) sheet.insertRule(rule, sheet.cssRules.length);
      dressed(pictured);
    };
    const show = async () => {
      shown(one("header .line"), !over);
      if (over) {
        if (one("button", told)) return;
        put(told, say(over));
        shown(told, true);
        if (over === "over") return;
        const button = Object.assign(made("button", say("again"), "act"), { type: "button" });
        button.addEventListener("click", () => location.reload());
        told.append(button);
        return;
      }
      const { question, why, open, vote } = state;
      document.title = state.title || "dmlviz";
      put(one("h1"), state.title || "dmlviz");
      count();
      put(one("footer p"), say(state.keeps ? "saved" : "kept"));
      await drawQuestion();
      const ends = why === "end" ? say("firsts", { right: state.right_first, of: state.tasks }) : "";
      const text = why ? `${say(why)} ${ends}` : question ? "" : say("waiting");
      put(told, text);
      shown(told, Boolean(text));
      const first = state.before ? say("first_answer", { answer: state.before }) : "";
      put(again, question && vote && open ? `${say("second_vote")} ${first}` : "");
      shown(again, Boolean(again.textContent));
      drawReveal();
      shown(next, state.next);
      status();
      await drawShown();
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
      try { sessionStorage.removeItem(given.place); } catch { /* nothing is kept */ }
      location.replace("/");
    });
    look();
    listen();
  };

  ({ code, host, class: student })[about.page]();
})();
