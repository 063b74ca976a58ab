/* episode.html: shows the episode named behind the #. */
(function () {
  "use strict";
  const { el, svg, points, address } = window.assay;
  const NAMES = { mc: "MC", mp: "MP", ppl: "PPL", cra: "CRA", str: "STR" };
  const MILESTONES = "Milestone coverage: the highest milestone reached.";
  const RATES = [0.25, 0.5, 1, 2, 4];
  let current = null;
  const unshown = new Set(); // judges whose curves the reader has put away, in every episode
  let visit = 0; // counts the episodes asked for, so that a slow one can't overwrite a later one

  const byId = (id) => document.getElementById(id);
  const seconds = (t) => t.toFixed(2) + " s";
  const WHEN = ["once", "held", "at the end"];

  /** Word the success flags that are known. */
  function outcome(flags) {
    const known = WHEN.map((when, i) => [when, flags[i]]).filter(([, value]) => value !== null);
    return known.map(([when, value]) => when + " " + (value ? "yes" : "no")).join(", ") || "no label";
  }

  function wanted() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch (error) {
      return location.hash.slice(1);
    }
  }

  async function show(data) {
    const id = wanted();
    const place = id ? data.ids.indexOf(id) : 0;
    const mine = ++visit;
    if (current) current.end();
    current = null;
    if (place < 0 || !data.ids.length) {
      tell("There is no episode named " + JSON.stringify(id) + " in this report.");
      return;
    }
    try {
      const record = await window.assay.record(place);
      if (mine === visit) render(data, place, record);
    } catch (error) {
      if (mine === visit) tell(error.message);
    }
  }

  /** Show a message instead of an episode, and nothing of the episode before. */
  function tell(message) {
    byId("name").textContent = "Episode";
    for (const id of ["instruction", "facts", "place"]) byId(id).replaceChildren();
    for (const id of ["previous", "next"]) byId(id).removeAttribute("href");
    byId("episode").replaceChildren(el("p", { class: "not-ok" }, message));
  }

  function link(anchor, data, place) {
    const there = place >= 0 && place < data.ids.length;
    if (there) anchor.href = address(data.ids[place]);
    else anchor.removeAttribute("href");
  }

  function heading(data, place, record) {
    const id = data.ids[place];
    const status = data.status_names[data.status[place]];
    document.title = id;
    byId("name").textContent = id;
    byId("instruction").textContent = record.instruction;
    byId("place").textContent = (place + 1) + " of " + data.ids.length;
    link(byId("previous"), data, place - 1);
    link(byId("next"), data, place + 1);
    const told = status === "ok" ? "scored" : el("b", { class: "not-ok" }, "not scored: " + status);
    byId("facts").replaceChildren(
      data.task_names[data.task[place]], " · ", data.policy_names[data.policy[place]], " · ", told);
  }

  function render(data, place, record) {
    heading(data, place, record);
    const host = el("div", { class: "curve", tabindex: "0", role: "slider", "aria-label": "Time in the episode" });
    const views = record.clips.map(makeView);
    const tracks = views.filter((view) => view.video);
    const readout = el("span", { class: "readout" });
    const button = el("button", { type: "button", class: "plain", id: "play" }, "Play");
    const rates = el("select", { "aria-label": "Speed" }, ...RATES.map((rate) =>
      el("option", { value: rate, selected: rate === 1 }, rate + "×")));
    byId("episode").replaceChildren(el("div", { class: "stage" },
      el("div", {},
        views.length ? el("div", { class: "videos" }, ...views.map((view) => view.figure)) : null,
        el("div", { class: "controls" }, button, rates, readout),
        host, key(record, data), hint(), eventTable(record, (t) => current.player.seek(t)),
        window.assay.callsOf(place, record, (t) => current.player.seek(t))),
      side(data, place, record)));
    current = makeStage({ data, record, host, tracks, readout, button, duration: lengthOf(data, place, record) });
    button.addEventListener("click", () => current.player.toggle());
    rates.addEventListener("change", () => current.player.setRate(Number(rates.value)));
  }

  function lengthOf(data, place, record) {
    const lastOf = (c) => (!c ? 0 : c.ms ? c.ms[c.ms.length - 1] / 1000 : c.t[0] + c.t[1] * (c.t[2] - 1));
    const curves = [record.curve, ...(record.beside || [])];
    const curve = curves.find((c) => c);
    const last = Math.max(...curves.map(lastOf));
    const clips = record.clips.map(([, src, start, end]) => (src && end !== null ? end - start : 0));
    return Math.max(data.duration[place] || 0, last, curve ? 0 : Math.max(0, ...clips)) || 1;
  }

  function makeView([view, src, start, end, note]) {
    const caption = el("figcaption", {}, note ? view + ": " + note : view);
    if (!src) return { figure: el("figure", {}, caption) };
    const video = el("video", { src, playsinline: true, preload: "metadata", "aria-label": "View " + view });
    video.muted = true;
    video.addEventListener("error", () => {
      caption.textContent = view + ": this browser can't play the video.";
    });
    return { video, start, end, figure: el("figure", {}, video, caption) };
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

  /** Join chart, player and pointer; returns {player, steps, end}. */
  function makeStage({ data, record, host, tracks, readout, button, duration }) {
    let chart = draw();
    const player = window.assay.makePlayer(tracks, duration, onTime, (playing) => {
      button.textContent = playing ? "Pause" : "Play";
    });

    function draw() {
      const drawn = window.assay.drawChart(host, record, data, duration);
      hide(host, data);
      return drawn;
    }

    function onTime(t) {
      chart.setTime(t);
      const told = tellMoment(chart.curve, t) + tellOthers(chart.others, data, t);
      readout.replaceChildren(el("b", {}, seconds(t)), " ", told);
      host.setAttribute("aria-valuemin", "0");
      host.setAttribute("aria-valuemax", duration.toFixed(2));
      host.setAttribute("aria-valuenow", t.toFixed(2));
      host.setAttribute("aria-valuetext", seconds(t) + " " + told);
    }

    const drag = (event) => player.seek(chart.timeAt(event.clientX));
    host.addEventListener("pointerdown", (event) => {
      host.setPointerCapture(event.pointerId);
      drag(event);
    });
    host.addEventListener("pointermove", (event) => {
      if (host.hasPointerCapture(event.pointerId)) drag(event);
    });
    const watcher = new ResizeObserver(() => {
      chart = draw();
      onTime(player.time());
    });
    watcher.observe(host);
    player.seek(0);
    const times = () => (chart.curve ? chart.curve.times : []);
    return {
      player,
      end: () => { watcher.disconnect(); player.end(); },
      step: (by) => player.seek(neighbour(times(), player.time(), by)),
      last: duration,
    };
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

  function eventTable(record, seek) {
    if (!record.events.length) return null;
    const rows = record.events.map(([type, start, end, severity, dimension, description]) => el("tr", {},
      el("td", {}, el("button", { type: "button", class: "plain", onclick: () => seek(start) },
        seconds(start) + " to " + seconds(end))),
      el("td", {}, type), el("td", {}, dimension), el("td", {}, "severity " + severity), el("td", {}, description)));
    return el("table", { class: "events" }, el("caption", {}, "Events"), el("tbody", {}, ...rows));
  }

  const KEYS = {
    " ": (stage) => stage.player.toggle(),
    ArrowLeft: (stage) => stage.step(-1),
    ArrowRight: (stage) => stage.step(1),
    Home: (stage) => stage.player.seek(0),
    End: (stage) => stage.player.seek(stage.last),
    p: () => byId("previous").click(),
    n: () => byId("next").click(),
  };

  document.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    const busy = event.target.closest("select, textarea") ||
      (event.key === " " && event.target.closest("a, button, input"));
    if (!act || !current || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(current);
  });

  window.assay.ready((data) => {
    show(data);
    window.addEventListener("hashchange", () => show(data));
  });
})();
