"use strict";
/* Tables and pictures of a notebook stand in shadow roots, which its style sheets don't reach. A browser that reads a
   whole page makes them by itself; what a notebook puts in later is made here. */
for (const host of document.querySelectorAll("[data-dmlviz]")) {
  const inside = host.querySelector(":scope > template");
  if (inside && !host.shadowRoot) host.attachShadow({ mode: "open" }).append(inside.content);
  inside?.remove();
  if (host.dataset.dmlviz) continue;
  host.dataset.dmlviz = "on";

  /* As dark as what lies behind, whatever the system likes. */
  const shade = () => {
    for (let at = host.parentElement; at; at = at.parentElement) {
      const [red, green, blue, alpha = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
      if (!(alpha > 0)) continue;
      host.dataset.ground = red + green + blue < 384 ? "dark" : "light";
      return;
    }
  };
  shade();
  const watch = new MutationObserver(() => requestAnimationFrame(shade));
  for (const at of [document.body, document.documentElement]) watch.observe(at, { attributes: true });
}
