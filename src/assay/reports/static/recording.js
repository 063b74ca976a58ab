/* episode.html: what its kinds share: which recording is meant, its heading, videos, pointer and keys. */
(function () {
  "use strict";
  const { el, address } = window.assay;
  const RATES = [0.25, 0.5, 1, 2, 4];
  let current = null; // the stage of the recording that is shown
  let visit = 0; // counts the recordings asked for, so that a slow one can't overwrite a later one

  const byId = (id) => document.getElementById(id);
  const seconds = (t) => t.toFixed(2) + " s";

  function wanted() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch (error) {
      return location.hash.slice(1);
    }
  }

  async function show(data, noun, render) {
    const id = wanted();
    const place = id ? data.ids.indexOf(id) : 0;
    const mine = ++visit;
    if (current) current.end();
    current = null;
    if (place < 0 || !data.ids.length) {
      tell(noun, "There is no " + noun + " named " + JSON.stringify(id) + " in this report.");
      return;
    }
    try {
      const record = await window.assay.record(place);
      if (mine === visit) current = render(data, place, record);
    } catch (error) {
      if (mine === visit) tell(noun, error.message);
    }
  }

  /** Show a message instead of a recording, and nothing of the one before. */
  function tell(noun, message) {
    byId("name").textContent = noun[0].toUpperCase() + noun.slice(1);
    for (const id of ["instruction", "facts", "place"]) byId(id).replaceChildren();
    for (const id of ["previous", "next"]) byId(id).removeAttribute("href");
    byId("episode").replaceChildren(el("p", { class: "not-ok" }, message));
  }

  function link(anchor, data, place) {
    if (place >= 0 && place < data.ids.length) anchor.href = address(data.ids[place]);
    else anchor.removeAttribute("href");
  }

  function heading(data, place, record, ...facts) {
    document.title = data.ids[place];
    byId("name").textContent = data.ids[place];
    byId("instruction").textContent = record.instruction;
    byId("place").textContent = (place + 1) + " of " + data.ids.length;
    link(byId("previous"), data, place - 1);
    link(byId("next"), data, place + 1);
    byId("facts").replaceChildren(...facts.flatMap((fact, i) => (i ? [" · ", fact] : [fact])));
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

  /** Return the parts of a stage: videos (null for none), controls, and a host for what is drawn. */
  function makeParts(record, noun) {
    const views = record.clips.map(makeView);
    const readout = el("span", { class: "readout" });
    const button = el("button", { type: "button", class: "plain", id: "play" }, "Play");
    const rates = el("select", { "aria-label": "Speed" }, ...RATES.map((rate) =>
      el("option", { value: rate, selected: rate === 1 }, rate + "×")));
    return {
      host: el("div", { class: "curve", tabindex: "0", role: "slider", "aria-label": "Time in the " + noun }),
      videos: views.length ? el("div", { class: "videos" }, ...views.map((view) => view.figure)) : null,
      controls: el("div", { class: "controls" }, button, rates, readout),
      tracks: views.filter((view) => view.video),
      readout, button, rates,
    };
  }

  /**
   * Join drawing, player and pointer; the parts must be on the page. draw() returns {setTime, timeAt},
   * tellAt(drawn, t) words a moment, and neighbour(drawn, t, by) returns the moment a step away.
   */
  function makeStage({ host, readout, button, rates, tracks }, duration, { draw, tellAt, neighbour }) {
    let drawn = draw();
    const player = window.assay.makePlayer(tracks, duration, onTime, (playing) => {
      button.textContent = playing ? "Pause" : "Play";
    });

    function onTime(t) {
      drawn.setTime(t);
      const told = tellAt(drawn, t);
      readout.replaceChildren(el("b", {}, seconds(t)), " ", told);
      host.setAttribute("aria-valuemin", "0");
      host.setAttribute("aria-valuemax", duration.toFixed(2));
      host.setAttribute("aria-valuenow", t.toFixed(2));
      host.setAttribute("aria-valuetext", seconds(t) + " " + told);
    }

    const drag = (event) => player.seek(drawn.timeAt(event.clientX));
    host.addEventListener("pointerdown", (event) => {
      host.setPointerCapture(event.pointerId);
      drag(event);
    });
    host.addEventListener("pointermove", (event) => {
      if (host.hasPointerCapture(event.pointerId)) drag(event);
    });
    button.addEventListener("click", () => player.toggle());
    rates.addEventListener("change", () => player.setRate(Number(rates.value)));
    const watcher = new ResizeObserver(() => {
      drawn = draw();
      onTime(player.time());
    });
    watcher.observe(host);
    player.seek(0);
    return {
      player,
      last: duration,
      step: (by) => player.seek(neighbour(drawn, player.time(), by)),
      end: () => { watcher.disconnect(); player.end(); },
    };
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
      (event.key === " " && event.target.closest("a, button, input, summary"));
    if (!act || !current || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(current);
  });

  /** Show the recording behind the #, now and when that changes; `render` returns its stage. */
  function follow(noun, render) {
    window.assay.ready((data) => {
      show(data, noun, render);
      window.addEventListener("hashchange", () => show(data, noun, render));
    });
  }

  const seek = (t) => current.player.seek(t);
  Object.assign(window.assay, { byId, seconds, heading, makeParts, makeStage, follow, seek });
})();
