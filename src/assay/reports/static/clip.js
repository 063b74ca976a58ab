/* episode.html of a diagnosis: the clip named behind the #, its events on a line for each dimension. */
(function () {
  "use strict";
  const { el, svg, address, still } = window.assay;
  const ROW = 22, LEFT = 168, RIGHT = 12, TOP = 6, AXIS = 24; // px
  const RATES = [0.25, 0.5, 1, 2, 4];
  const MOST_STILLS = 6; // small videos for one event; the others are told by their times
  let current = null;
  let visit = 0; // counts the clips asked for, so that a slow one can't overwrite a later one

  const byId = (id) => document.getElementById(id);
  const seconds = (t) => t.toFixed(2) + " s";

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
      tell("There is no clip named " + JSON.stringify(id) + " in this report.");
      return;
    }
    try {
      const record = await window.assay.record(place);
      if (mine === visit) render(data, place, record);
    } catch (error) {
      if (mine === visit) tell(error.message);
    }
  }

  function tell(message) {
    byId("name").textContent = "Clip";
    for (const id of ["instruction", "facts", "place"]) byId(id).replaceChildren();
    for (const id of ["previous", "next"]) byId(id).removeAttribute("href");
    byId("episode").replaceChildren(el("p", { class: "not-ok" }, message));
  }

  function link(anchor, data, place) {
    if (place >= 0 && place < data.ids.length) anchor.href = address(data.ids[place]);
    else anchor.removeAttribute("href");
  }

  function heading(data, place, record) {
    const examined = record.examined;
    document.title = data.ids[place];
    byId("name").textContent = data.ids[place];
    byId("instruction").textContent = record.instruction;
    byId("place").textContent = (place + 1) + " of " + data.ids.length;
    link(byId("previous"), data, place - 1);
    link(byId("next"), data, place + 1);
    const count = examined.events.length;
    const told = examined.status !== "ok" ? el("b", { class: "not-ok" }, "not examined: " + examined.status)
      : count === 1 ? "1 event" : (count || "no") + " events";
    byId("facts").replaceChildren(record.task, " · ", record.policy, " · ", seconds(examined.length_s), " · ", told);
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

  /** Draw a row for each dimension, found events filled and dropped ones as outlines. */
  function drawTimeline(host, data, examined, duration) {
    const width = Math.max(320, host.clientWidth);
    const x = (t) => LEFT + (t / duration) * (width - LEFT - RIGHT);
    const bottom = TOP + ROW * data.dimensions.length;
    const chart = svg("svg", { width, height: bottom + AXIS, role: "img", "aria-label": "Events by dimension" });
    data.dimensions.forEach(([name, title], row) => {
      const y = TOP + ROW * row;
      chart.append(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y + ROW / 2, y2: y + ROW / 2 }),
        svg("text", { x: 0, y: y + 15 }, examined.unasked.includes(name) ? title + " (not looked at)" : title));
    });
    const bar = (event, kind) => {
      const row = data.dimensions.findIndex(([name]) => name === event.dimension);
      const [start, end] = event.span_s;
      const [left, right] = [x(start), Math.max(x(end), x(start) + 3)];
      const told = event.type + ", severity " + event.severity + ", " + seconds(start) + " to " + seconds(end);
      return svg("rect", { class: "glitch " + kind + " c" + row, x: left, width: right - left, y: TOP + ROW * row + 4,
        height: ROW - 8, rx: 2, "fill-opacity": kind === "found" ? 0.25 + 0.15 * event.severity : null },
        svg("title", {}, told));
    };
    chart.append(...examined.rejected.map((event) => bar(event, "dropped")));
    chart.append(...examined.events.map((event) => bar(event, "found")));
    const step = Math.max(1, Math.ceil(duration / 10));
    for (let t = 0; t <= duration + 1e-6; t += step) {
      chart.append(svg("line", { class: "tick", x1: x(t), x2: x(t), y1: bottom, y2: bottom + 4 }),
        svg("text", { x: x(t), y: bottom + 17, "text-anchor": "middle" }, t + " s"));
    }
    const head = svg("line", { class: "playhead", y1: 0, y2: bottom });
    chart.append(head);
    host.replaceChildren(chart);
    return {
      setTime: (t) => { head.setAttribute("x1", x(t)); head.setAttribute("x2", x(t)); },
      timeAt: (clientX) => ((clientX - chart.getBoundingClientRect().left - LEFT) / (width - LEFT - RIGHT)) * duration,
    };
  }

  /** Return the moments that an event cites, or its start, middle and end. */
  function moments(event) {
    const [start, end] = event.span_s;
    const cited = event.frames_s || [];
    return cited.length ? cited : [...new Set([start, (start + end) / 2, end])];
  }

  function stills(event, clips, seek) {
    const clip = clips.find(([, src]) => src);
    return el("div", { class: "frames" }, ...moments(event).slice(0, MOST_STILLS).map((t) =>
      el("figure", {}, clip ? still(clip, t) : null, el("figcaption", {},
        el("button", { type: "button", class: "plain", onclick: () => seek(t) }, seconds(t))))));
  }

  function card(event, clips, seek, data) {
    const [start, end] = event.span_s;
    const row = data.dimensions.findIndex(([name]) => name === event.dimension);
    const facts = [data.dimensions[row][1], "severity " + event.severity];
    if (event.confidence !== undefined) facts.push("confidence " + event.confidence.toFixed(2));
    if (event.secondary) facts.push("also " + event.secondary.join(", "));
    return el("article", { class: "glitch-card c" + row },
      el("h3", {}, event.type, " ", el("button", { type: "button", class: "plain", onclick: () => seek(start) },
        seconds(start) + " to " + seconds(end))),
      el("p", { class: "quiet" }, facts.join(" · ")),
      event.description ? el("p", {}, event.description) : null,
      event.evidence ? el("p", {}, el("b", {}, "Evidence: "), event.evidence) : null,
      event.verdict ? el("p", {}, el("b", {}, "Verifier: "), event.verdict) : null,
      stills(event, clips, seek));
  }

  function folded(title, content) {
    return content.length ? el("details", { class: "calls" }, el("summary", {}, title), ...content) : null;
  }

  /** Return what was found, dropped and not understood, and every step on the way. */
  function findings(data, record, seek) {
    const { examined, clips } = record;
    const none = examined.status === "ok" ? "No event was found." : examined.detail;
    const cards = (events) => events.map((event) => card(event, clips, seek, data));
    return [
      ...examined.notes.map((note) => el("p", { class: "notice" }, note)),
      el("section", { class: "glitches", "aria-label": "Events" },
        ...(examined.events.length ? cards(examined.events) : [el("p", { class: examined.status === "ok" ? null : "not-ok" }, none)])),
      folded("Dropped: " + examined.rejected.length, cards(examined.rejected)),
      folded("Not understood: " + examined.invalid.length,
        examined.invalid.map((bad) => el("p", {}, el("code", {}, bad.reason), " ", bad.detail))),
      folded("Step by step: " + examined.trail.length,
        examined.trail.map(([name, step]) => el("div", {}, el("h4", {}, name), el("pre", {}, JSON.stringify(step, null, 1))))),
    ];
  }

  function render(data, place, record) {
    heading(data, place, record);
    const duration = record.examined.length_s || 1;
    const host = el("div", { class: "curve", tabindex: "0", role: "slider", "aria-label": "Time in the clip" });
    const views = record.clips.map(makeView);
    const readout = el("span", { class: "readout" });
    const button = el("button", { type: "button", class: "plain", id: "play" }, "Play");
    const rates = el("select", { "aria-label": "Speed" }, ...RATES.map((rate) =>
      el("option", { value: rate, selected: rate === 1 }, rate + "×")));
    const seek = (t) => current.player.seek(t);
    const asked = record.examined.asked;
    byId("episode").replaceChildren(...[
      views.length ? el("div", { class: "videos" }, ...views.map((view) => view.figure)) : null,
      el("div", { class: "controls" }, button, rates, readout), host,
      el("p", { class: "hint" }, "Click or drag on the lines to seek; space plays. Outlines were supposed and dropped."),
      asked ? el("p", { class: "quiet" }, "Questions: " + asked + "; rounds one after the other: " + record.examined.rounds + ".") : null,
      ...findings(data, record, seek),
      window.assay.callsOf(place, record, seek),
    ].filter((part) => part));
    current = makeStage({ data, record, host, readout, button, duration, tracks: views.filter((view) => view.video) });
    button.addEventListener("click", () => current.player.toggle());
    rates.addEventListener("change", () => current.player.setRate(Number(rates.value)));
  }

  /** Join timeline, player and pointer. */
  function makeStage({ data, record, host, readout, button, duration, tracks }) {
    let line = drawTimeline(host, data, record.examined, duration);
    const player = window.assay.makePlayer(tracks, duration, onTime, (playing) => {
      button.textContent = playing ? "Pause" : "Play";
    });

    function onTime(t) {
      line.setTime(t);
      const now = record.examined.events.filter(({ span_s: [start, end] }) => start <= t && t <= end);
      const told = now.map((event) => event.type).join(", ");
      readout.replaceChildren(el("b", {}, seconds(t)), " ", told);
      host.setAttribute("aria-valuemin", "0");
      host.setAttribute("aria-valuemax", duration.toFixed(2));
      host.setAttribute("aria-valuenow", t.toFixed(2));
      host.setAttribute("aria-valuetext", seconds(t) + " " + told);
    }

    const drag = (event) => player.seek(line.timeAt(event.clientX));
    host.addEventListener("pointerdown", (event) => {
      host.setPointerCapture(event.pointerId);
      drag(event);
    });
    host.addEventListener("pointermove", (event) => {
      if (host.hasPointerCapture(event.pointerId)) drag(event);
    });
    const watcher = new ResizeObserver(() => {
      line = drawTimeline(host, data, record.examined, duration);
      onTime(player.time());
    });
    watcher.observe(host);
    player.seek(0);
    return { player, last: duration, end: () => { watcher.disconnect(); player.end(); } };
  }

  const KEYS = {
    " ": (stage) => stage.player.toggle(),
    ArrowLeft: (stage) => stage.player.seek(stage.player.time() - 0.1),
    ArrowRight: (stage) => stage.player.seek(stage.player.time() + 0.1),
    Home: (stage) => stage.player.seek(0),
    End: (stage) => stage.player.seek(stage.last),
    p: () => byId("previous").click(),
    n: () => byId("next").click(),
  };

  document.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    const busy = event.target.closest("select, textarea") ||
      (event.key === " " && event.target.closest("a, button, input, summary"));
    if (!act || !current || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(current);
  });

  window.assay.ready((data) => {
    show(data);
    window.addEventListener("hashchange", () => show(data));
  });
})();
