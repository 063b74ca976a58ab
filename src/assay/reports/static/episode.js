/* episode.html: shows the episode named behind the #. */
(function () {
  "use strict";
  const { el, svg, points, byId, seconds, heading, makeParts, makeStage, follow, seek } = window.assay;
  const NAMES = { mc: "MC", mp: "MP", ppl: "PPL", cra: "CRA", str: "STR" };
  const MILESTONES = "Milestone coverage: the highest milestone reached.";
  const unshown = new Set(); // judges whose curves the reader has put away, in every episode
  const WHEN = ["once", "held", "at the end"];

  /** Word the success flags that are known. */
  function outcome(flags) {
    const known = WHEN.map((when, i) => [when, flags[i]]).filter(([, value]) => value !== null);
    return known.map(([when, value]) => when + " " + (value ? "yes" : "no")).join(", ") || "no label";
  }

  function render(data, place, record) {
    const status = data.status_names[data.status[place]];
    heading(data, place, record, data.task_names[data.task[place]], data.policy_names[data.policy[place]],
      status === "ok" ? "scored" : el("b", { class: "not-ok" }, "not scored: " + status));
    const parts = makeParts(record, "episode");
    byId("episode").replaceChildren(el("div", { class: "stage" },
      el("div", {},
        parts.videos, parts.controls, parts.host, key(record, data), hint(), eventTable(record),
        window.assay.callsOf(place, record, seek)),
      side(data, place, record)));
    const duration = lengthOf(data, place, record);
    return makeStage(parts, duration, {
      draw: () => {
        const drawn = window.assay.drawChart(parts.host, record, data, duration);
        hide(parts.host, data);
        return drawn;
      },
      tellAt: (drawn, t) => tellMoment(drawn.curve, t) + tellOthers(drawn.others, data, t),
      neighbour: (drawn, t, by) => neighbour(drawn.curve ? drawn.curve.times : [], t, by),
    });
  }

  function lengthOf(data, place, record) {
    const lastOf = (c) => (!c ? 0 : c.ms ? c.ms[c.ms.length - 1] / 1000 : c.t[0] + c.t[1] * (c.t[2] - 1));
    const curves = [record.curve, ...(record.beside || [])];
    const curve = curves.find((c) => c);
    const last = Math.max(...curves.map(lastOf));
    const clips = record.clips.map(([, src, start, end]) => (src && end !== null ? end - start : 0));
    return Math.max(data.duration[place] || 0, last, curve ? 0 : Math.max(0, ...clips)) || 1;
  }

  /** Return the judges of the report, the main one first. */
  const judges = (data) => [data.judge, ...(data.beside || []).map(([name]) => name)];

  /** Hide the curves that the reader has put away. */
  function hide(host, data) {
    const names = judges(data);
    for (const part of host.querySelectorAll("[data-judge]")) {
      part.classList.toggle("off", unshown.has(names[part.dataset.judge]));
    }
  }

  /** Return the judged moment before or after `t`; without a curve, a tenth of a second on. */
  function neighbour(times, t, by) {
    if (!times.length) return t + by / 10;
    const at = window.assay.momentAt(times, t);
    const onIt = at >= 0 && Math.abs(times[at] - t) < 1e-3;
    const next = by > 0 ? at + 1 : onIt ? at - 1 : at;
    return times[Math.min(times.length - 1, Math.max(0, next))];
  }

  function tellMoment(curve, t) {
    if (!curve) return "";
    const i = window.assay.momentAt(curve.times, t);
    if (i < 0) return "before the first judged moment";
    if (curve.values[i] === null) {
      const run = curve.bad.find(([first, last]) => first <= i && i <= last);
      return "not scored: " + (run ? run[2] : "no value");
    }
    const said = (v) => (100 * v).toFixed(1);
    return "progress " + said(curve.values[i]) + ", best so far " + said(curve.tops[i]) +
      ", regret " + said(curve.tops[i] - curve.values[i]);
  }

  /** Say what the other judges make of the moment. */
  function tellOthers(others, data, t) {
    return others.map((curve, i) => {
      const at = curve ? window.assay.momentAt(curve.times, t) : -1;
      const value = at < 0 ? null : curve.values[at];
      return "; " + data.beside[i][0] + " " + (value === null ? "n/a" : (100 * value).toFixed(1));
    }).join("");
  }

  function side(data, place, record) {
    const status = data.status_names[data.status[place]];
    const meanings = { mc: MILESTONES, ...data.meanings };
    const metrics = Object.keys(NAMES).map((name) => el("div", { class: "metric" },
      el("b", {}, points(data[name][place])), el("h3", {}, NAMES[name]),
      el("p", {}, data[name][place] === null && status !== "ok"
        ? "No value: the episode is not scored (" + status + ")." : meanings[name])));
    const facts = [
      ["Success", outcome(record.success)],
      ["Status", status],
      ["Epsilon", data.epsilon === null ? "none" : Number(data.epsilon.toPrecision(3)) + " (" + data.epsilonSource + ")"],
      ...Object.entries(record.about).map(([name, value]) => [name[0].toUpperCase() + name.slice(1), value]),
    ];
    return el("aside", { class: "side", "aria-label": "Metrics" }, ...metrics,
      el("dl", {}, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  }

  /** Say in the legend what another judge did not score. */
  function missing(curve) {
    if (!curve) return " (no curve)";
    return curve.bad ? " (in part not scored: " + curve.bad[0][2] + ")" : "";
  }

  /** Return an entry of the legend that shows or hides the curve of a judge. */
  function toggle(judge, data, ...content) {
    const box = el("input", { type: "checkbox", checked: !unshown.has(judge) });
    box.addEventListener("change", () => {
      if (box.checked) unshown.delete(judge);
      else unshown.add(judge);
      hide(document.querySelector(".curve"), data);
    });
    return el("label", {}, box, ...content);
  }

  function key(record, data) {
    const sample = (...shapes) => svg("svg", { width: 26, height: 14, "aria-hidden": "true" }, ...shapes);
    const box = (kind) => sample(svg("rect", { class: kind, x: 1, y: 1, width: 24, height: 12 }));
    const line = (kind, dash) => sample(svg("path", { class: kind, "stroke-dasharray": dash || null, d: "M1 7H25" }));
    const others = (record.beside || []).map((curve, i) => {
      const [name, colour, dash, known] = data.beside[i];
      const told = "progress by " + name + (known ? ", which " + known : "") + missing(curve);
      return [line("line-beside " + colour, dash), told, name];
    });
    const items = [[line("line-now"), data.judge ? "progress by " + data.judge : "progress", data.judge], ...others,
      [line("line-best"), "best so far"], [box("regret"), "regret"], [box("still"), "stagnation"]];
    if (record.curve && record.curve.bad) {
      items.push([sample(svg("path", { class: "bad-mark", d: "M9 3l8 8m0 -8l-8 8" })), "not scored"]);
    }
    if (record.events.length) items.push([sample(svg("path", { class: "event", d: "M13 0l7 7l-7 7l-7 -7Z" })), "event"]);
    if (record.curve && record.curve.novel) items.push([box("novel"), "unlike anything the judge was trained on"]);
    return el("ul", { class: "key" }, ...items.map(([drawing, told, judge]) => el("li", {},
      ...(judge ? [toggle(judge, data, drawing, told)] : [drawing, told]))));
  }

  function hint() {
    const keys = (...names) => names.map((name) => el("kbd", {}, name));
    return el("p", { class: "hint" }, "Click or drag on the curve to seek. ", ...keys("space"), " plays, ",
      ...keys("←", "→"), " step by one judged moment, ", ...keys("Home", "End"), " jump, ",
      ...keys("p", "n"), " go to the previous or next episode.");
  }

  function eventTable(record) {
    if (!record.events.length) return null;
    const rows = record.events.map(([type, start, end, severity, dimension, description]) => el("tr", {},
      el("td", {}, el("button", { type: "button", class: "plain", onclick: () => seek(start) },
        seconds(start) + " to " + seconds(end))),
      el("td", {}, type), el("td", {}, dimension), el("td", {}, "severity " + severity), el("td", {}, description)));
    return el("table", { class: "events" }, el("caption", {}, "Events"), el("tbody", {}, ...rows));
  }

  follow("episode", render);
})();
