/* Draws one progress curve: what it shades, its lanes, and the playhead. */
(function () {
  "use strict";
  const { svg } = window.assay;
  const LEFT = 46, RIGHT = 16, TOP = 14, PLOT = 300, LANE = 26;

  /** Unpack the clock and values of a record's curve; null values stay null. */
  function unpack(curve) {
    const times = curve.ms
      ? curve.ms.map((ms) => ms / 1000)
      : Array.from({ length: curve.t[2] }, (_, i) => curve.t[0] + i * curve.t[1]);
    const values = curve.v.map((v) => (v === null ? null : v / 1e4));
    let best = null;
    const tops = values.map((v) => (best = v === null ? best : Math.max(best ?? v, v)));
    return { times, values, tops, bad: curve.bad || [], still: curve.still || [], novel: curve.novel || [] };
  }

  /** Return the stretches of moments that have a value, as [first, last]. */
  function stretches(values) {
    const found = [];
    values.forEach((v, i) => {
      if (v === null) return;
      if (i && values[i - 1] !== null) found[found.length - 1][1] = i;
      else found.push([i, i]);
    });
    return found;
  }

  function ticks(duration, width) {
    const rough = duration / Math.max(2, Math.min(10, width / 90));
    const power = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) || 1;
    const found = [];
    for (let t = 0; t <= duration + step / 1e6; t += step) found.push(Number(t.toFixed(6)));
    return found;
  }

  /** Return the index of the last moment at or before `t`; -1 before the first. */
  function momentAt(times, t) {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t + 1e-6) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Say of drawn parts which judge's they are: 0 is the main one. */
  function ownedBy(judge, parts) {
    for (const part of parts) part.dataset.judge = judge;
    return parts;
  }

  /** Draw `record` into `host`; returns {setTime, timeAt, curve, others}. */
  function drawChart(host, record, shared, duration) {
    const curve = record.curve ? unpack(record.curve) : null;
    const others = (record.beside || []).map((other) => (other ? unpack(other) : null));
    const width = Math.max(320, host.clientWidth);
    const lanes = (record.segments.length ? 1 : 0) + (record.events.length ? 1 : 0);
    const height = TOP + PLOT + 40 + lanes * LANE;
    const x = (t) => LEFT + (duration ? t / duration : 0) * (width - LEFT - RIGHT);
    const y = (v) => TOP + (1 - v) * PLOT;
    const root = svg("svg", { width, height, viewBox: "0 0 " + width + " " + height, "aria-hidden": "true" });
    root.append(svg("defs", {}, svg("pattern",
      { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "hatch" }))));
    if (curve) root.append(...ownedBy(0, shading(curve, x, y)));
    root.append(...axes(shared.milestones, duration, width, x, y));
    others.forEach((other, i) => {
      if (other) root.append(...ownedBy(i + 1, besideLines(other, shared.beside[i], x, y)));
    });
    if (curve) root.append(...ownedBy(0, lines(curve, x, y)));
    else root.append(svg("text", { x: width / 2, y: TOP + PLOT / 2, "text-anchor": "middle", class: "note" },
      "There is no curve for this episode."));
    drawLanes(root, record, x);
    const head = svg("g", {}, svg("line", { class: "playhead", y1: TOP - 6, y2: height - 34 + 0 }),
      svg("circle", { class: "dot", r: 5, cy: -99 }));
    root.append(head);
    host.replaceChildren(root);

    return {
      curve,
      others,
      timeAt: (clientX) => {
        const part = (clientX - host.getBoundingClientRect().left - LEFT) / (width - LEFT - RIGHT);
        return Math.min(1, Math.max(0, part)) * duration;
      },
      setTime: (t) => {
        head.firstChild.setAttribute("x1", x(t));
        head.firstChild.setAttribute("x2", x(t));
        const v = curve ? between(curve, t) : null;
        head.lastChild.setAttribute("cx", x(t));
        head.lastChild.setAttribute("cy", v === null ? -99 : y(v));
        head.lastChild.setAttribute("visibility", v === null ? "hidden" : "visible");
      },
    };
  }

  /** Return the height of the drawn line at `t`; null in a gap. */
  function between(curve, t) {
    const i = momentAt(curve.times, t);
    if (i < 0 || curve.values[i] === null) return null;
    const next = curve.values[i + 1];
    if (next === undefined || next === null) return curve.values[i];
    const part = (t - curve.times[i]) / (curve.times[i + 1] - curve.times[i]);
    return curve.values[i] + Math.min(1, Math.max(0, part)) * (next - curve.values[i]);
  }

  function shading(curve, x, y) {
    const { times, values, tops } = curve;
    const parts = [];
    for (let k = 0; k + 1 < curve.still.length; k += 2) {
      const left = x(times[curve.still[k]]);
      parts.push(svg("rect", { class: "still", x: left, y: TOP, height: PLOT,
        width: x(times[curve.still[k + 1]]) - left }));
    }
    for (let k = 0; k + 1 < curve.novel.length; k += 2) {
      const [left, right] = [curve.novel[k], Math.min(curve.novel[k + 1], times.length - 1)].map((i) => x(times[i]));
      parts.push(svg("rect", { class: "novel", x: left, y: TOP + PLOT - 6, height: 6, width: Math.max(2, right - left) },
        svg("title", {}, "unlike anything the judge was trained on")));
    }
    for (const [first, last] of stretches(values)) {
      let path = "";
      for (let i = first; i <= last; i++) path += (i > first ? "L" : "M") + x(times[i]) + " " + y(tops[i]);
      for (let i = last; i >= first; i--) path += "L" + x(times[i]) + " " + y(values[i]);
      parts.push(svg("path", { class: "regret", d: path + "Z" }));
    }
    for (const [first, last, status] of curve.bad) {
      const left = x(times[Math.max(0, first - 1)]);
      const right = x(times[Math.min(times.length - 1, last + 1)]);
      parts.push(svg("rect", { class: "bad", x: left, y: TOP, width: Math.max(2, right - left), height: PLOT },
        svg("title", {}, "not scored: " + status)));
    }
    return parts;
  }

  function axes(milestones, duration, width, x, y) {
    const parts = [];
    for (const q of new Set([0, ...milestones])) {
      parts.push(svg("line", { class: q ? "milestone" : "axis", x1: LEFT, x2: width - RIGHT, y1: y(q), y2: y(q) }));
      parts.push(svg("text", { class: "num", x: LEFT - 8, y: y(q) + 4, "text-anchor": "end" },
        String(Math.round(q * 100))));
    }
    for (const t of ticks(duration, width)) {
      parts.push(svg("line", { class: "tick", x1: x(t), x2: x(t), y1: y(0), y2: y(0) + 4 }));
      parts.push(svg("text", { class: "num", x: x(t), y: y(0) + 18, "text-anchor": "middle" }, t + " s"));
    }
    return parts;
  }

  /** Return the function that writes a path through moments `first` to `last`. */
  function pathOf(times, x, y) {
    return (first, last, heights) => {
      let d = "";
      for (let i = first; i <= last; i++) d += (i > first ? "L" : "M") + x(times[i]).toFixed(1) + " " + y(heights[i]).toFixed(1);
      return d;
    };
  }

  /** Return the thin lines of a judge beside the main one; a moment it did not score is a gap. */
  function besideLines({ times, values }, [name, colour, dash], x, y) {
    const path = pathOf(times, x, y);
    return stretches(values).map(([first, last]) => first === last
      ? svg("circle", { class: "line-beside " + colour, cx: x(times[first]), cy: y(values[first]), r: 2 })
      : svg("path", { class: "line-beside " + colour, "stroke-dasharray": dash || null, d: path(first, last, values) },
        svg("title", {}, "progress by " + name)));
  }

  function lines(curve, x, y) {
    const { times, values, tops } = curve;
    const path = pathOf(times, x, y);
    const parts = [];
    for (const [first, last] of stretches(tops)) {
      parts.push(svg("path", { class: "line-best", d: path(first, last, tops) }));
    }
    for (const [first, last] of stretches(values)) {
      if (first === last) parts.push(svg("circle", { class: "line-now", cx: x(times[first]), cy: y(values[first]), r: 2 }));
      else parts.push(svg("path", { class: "line-now", d: path(first, last, values) }));
    }
    for (const [first, last] of curve.bad) {
      for (let i = first; i <= last; i++) {
        const at = x(times[i]);
        parts.push(svg("path", { class: "bad-mark", d: "M" + (at - 3) + " " + (TOP + 3) + "l6 6m0 -6l-6 6" }));
      }
    }
    return parts;
  }

  function drawLanes(root, record, x) {
    let top = TOP + PLOT + 30;
    if (record.segments.length) {
      for (const [name, start, end, kind] of record.segments) {
        const wide = Math.max(2, x(end) - x(start));
        const fits = Math.floor((wide - 8) / 6.6);
        const label = name.length <= fits ? name : fits > 2 ? name.slice(0, fits - 1) + "…" : "";
        root.append(svg("g", {}, svg("title", {}, name + " (" + kind + "), " + start + " to " + end + " s"),
          svg("rect", { class: "segment", x: x(start), y: top, width: wide, height: LANE - 6, rx: 3 }),
          svg("text", { x: x(start) + 6, y: top + 14 }, label)));
      }
      top += LANE;
    }
    for (const [type, start, end, severity] of record.events) {
      root.append(svg("g", {}, svg("title", {}, type + ", severity " + severity + ", " + start + " to " + end + " s"),
        svg("rect", { class: "event", x: x(start), y: top + 7, width: Math.max(3, x(end) - x(start)), height: 5, rx: 2 }),
        svg("path", { class: "event", d: "M" + x(start) + " " + (top + 2) + "l7 7.5l-7 7.5l-7 -7.5Z" })));
    }
  }

  window.assay.drawChart = drawChart;
  window.assay.momentAt = momentAt;
})();
