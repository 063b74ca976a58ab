/* episode.html of a diagnosis: the clip named behind the #, its events on a line for each dimension. */
(function () {
  "use strict";
  const { el, svg, still, byId, seconds, heading, makeParts, makeStage, follow, seek } = window.assay;
  const ROW = 22, LEFT = 168, RIGHT = 12, TOP = 6, AXIS = 24; // px
  const MOST_STILLS = 6; // moments of one event that are shown

  /** Say how a clip went. */
  function outcome(examined) {
    if (examined.status !== "ok") return el("b", { class: "not-ok" }, "not examined: " + examined.status);
    const count = examined.events.length;
    return count === 1 ? "1 event" : (count || "no") + " events";
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

  /** Return the moments of an event in every view that can be played: the evidence may be in any. */
  function stills(event, clips) {
    const shown = clips.filter(([, src]) => src);
    const frame = (t, clip) => el("figure", {}, clip ? still(clip, t) : null, el("figcaption", {},
      el("button", { type: "button", class: "plain", onclick: () => seek(t) },
        (shown.length > 1 ? clip[0] + " " : "") + seconds(t))));
    return el("div", { class: "frames" }, ...moments(event).slice(0, MOST_STILLS).flatMap((t) =>
      shown.length ? shown.map((clip) => frame(t, clip)) : [frame(t, null)]));
  }

  function card(event, clips, data) {
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
      stills(event, clips));
  }

  function folded(title, content) {
    return content.length ? el("details", { class: "calls" }, el("summary", {}, title), ...content) : null;
  }

  /** Return what was found, dropped and not understood, and every step on the way. */
  function findings(data, record) {
    const { examined, clips } = record;
    const none = examined.status === "ok" ? "No event was found." : examined.detail;
    const cards = (events) => events.map((event) => card(event, clips, data));
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
    const { examined } = record;
    heading(data, place, record, record.task, record.policy, seconds(examined.length_s), outcome(examined));
    const parts = makeParts(record, "clip");
    byId("episode").replaceChildren(...[
      parts.videos, parts.controls, parts.host,
      el("p", { class: "hint" }, "Click or drag on the lines to seek; space plays. Outlines were supposed and dropped."),
      examined.asked ? el("p", { class: "quiet" }, "Questions: " + examined.asked + "; rounds one after the other: " + examined.rounds + ".") : null,
      ...findings(data, record),
      window.assay.callsOf(place, record, seek),
    ].filter((part) => part));
    const duration = examined.length_s || 1;
    const now = (t) => examined.events.filter(({ span_s: [start, end] }) => start <= t && t <= end);
    return makeStage(parts, duration, {
      draw: () => drawTimeline(parts.host, data, examined, duration),
      tellAt: (drawn, t) => now(t).map((event) => event.type).join(", "),
      neighbour: (drawn, t, by) => t + by / 10,
    });
  }

  follow("clip", render);
})();
