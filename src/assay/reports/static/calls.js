/* episode.html: what models were asked for an episode, loaded when a reader opens it. */
(function () {
  "use strict";
  const { el } = window.assay;
  const MOST_FRAMES = 12; // small videos at once; the others are told by their times
  const waiting = new Map();

  /** Called by assets/calls-NNNNN.js with the calls of one episode. */
  window.assayCalls = function (place, calls) {
    waiting.get(place)(calls);
    waiting.delete(place);
  };

  function load(place) {
    return new Promise((resolve, reject) => {
      waiting.set(place, resolve);
      const script = document.createElement("script");
      script.src = "assets/calls-" + String(place).padStart(5, "0") + ".js";
      script.onerror = () => reject(new Error(script.src + " can't be read."));
      document.head.append(script);
    });
  }

  /** Return a still picture of a clip: a small video that shows one moment and never plays. */
  window.assay.still = function still(clip, t) {
    const [, src, start] = clip;
    const at = start + t + 0.001; // at 0 sharp, browsers draw nothing before the video plays
    const video = el("video", { src: src + "#t=" + at.toFixed(3), preload: "metadata", playsinline: true });
    video.muted = true;
    video.addEventListener("error", () => video.remove());
    return video;
  };

  /** Return one shown frame: its number, view and time, which seeks. */
  function frame([view, t], number, clips, seek) {
    const name = "picture " + (number + 1);
    if (t === null) return el("figure", {}, el("figcaption", {}, name + ", not of this episode"));
    const clip = number < MOST_FRAMES ? clips.find(([own, src]) => own === view && src) : null;
    const told = name + ": " + view + " " + t.toFixed(2) + " s";
    return el("figure", {}, clip ? window.assay.still(clip, t) : null, el("figcaption", {},
      el("button", { type: "button", class: "plain", onclick: () => seek(t) }, told)));
  }

  function filled(call, clips, seek) {
    const [, model, , detail, prompt, pictures, reply] = call;
    const frames = pictures.map((picture, i) => frame(picture, i, clips, seek));
    return [
      el("p", { class: "quiet" }, model),
      detail ? el("p", { class: "not-ok" }, detail) : null,
      el("h4", {}, "Asked"), el("pre", {}, prompt),
      frames.length ? el("div", { class: "frames" }, ...frames) : null,
      el("h4", {}, "Answered"), el("pre", {}, reply || "(nothing)"),
    ].filter((part) => part);
  }

  function tokens(input, output) {
    const said = (n) => (n === null ? "?" : n);
    return said(input) + " + " + said(output) + " tokens";
  }

  /** Return one call, folded; its parts are made when it is opened. */
  function entry(call, number, clips, seek) {
    const [judge, , status, , , pictures, , input, output] = call;
    const told = status === "ok" ? "ok" : el("b", { class: "not-ok" }, status);
    const counted = pictures.length + (pictures.length === 1 ? " picture, " : " pictures, ");
    const box = el("details", { class: "call" },
      el("summary", {}, (number + 1) + " " + judge + ": ", told, " · " + counted + tokens(input, output)));
    box.addEventListener("toggle", () => box.append(...filled(call, clips, seek)), { once: true });
    return box;
  }

  /** Return the section on the calls of an episode, or null if nothing was asked. */
  window.assay.callsOf = function (place, record, seek) {
    if (!record.calls) return null;
    const told = "What models were asked: " + record.calls + (record.calls === 1 ? " call" : " calls");
    const box = el("details", { class: "calls" }, el("summary", {}, told));
    box.addEventListener("toggle", async () => {
      try {
        const calls = await load(place);
        box.append(...calls.map((call, i) => entry(call, i, record.clips, seek)));
      } catch (error) {
        box.append(el("p", { class: "not-ok" }, error.message));
      }
    }, { once: true });
    return box;
  };
})();
