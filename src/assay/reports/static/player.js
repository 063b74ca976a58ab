/* One clock for a curve and any number of videos; without a video it runs by itself. */
(function () {
  "use strict";
  const DRIFT = 0.15; // s: how far a second view may be off before it is set right
  const MARGIN = 0.01; // s: stay inside the episode; its end is the next one's first frame

  /**
   * tracks: [{video, start, end}], end null for the video's own end. onTime(t) is called with the
   * time since the episode's start, onState(playing) when it starts or stops.
   */
  window.assay.makePlayer = function (tracks, duration, onTime, onState) {
    let time = 0;
    let playing = false;
    let last = 0;
    let rate = 1;
    let stopped = false;

    function span(track) {
      const end = track.end === null ? track.video.duration : track.end;
      return Number.isFinite(end) ? Math.max(0, end - track.start) : Infinity;
    }

    function place(track) {
      track.video.currentTime = track.start + Math.max(0, Math.min(time, span(track) - MARGIN));
    }

    function seek(t) {
      time = Math.min(duration, Math.max(0, t));
      tracks.forEach(place);
      onTime(time);
    }

    function follow(track, leader) {
      if (time >= span(track)) {
        if (!track.video.paused) track.video.pause();
        return;
      }
      if (track.video.paused) track.video.play().catch(() => {}); // its error event tells
      const off = Math.abs(track.video.currentTime - track.start - time);
      if (track !== leader && off > DRIFT && !track.video.seeking) place(track);
    }

    function tick(now) {
      if (!playing || stopped) return;
      const leader = tracks.find((t) => !t.video.paused && t.video.readyState >= 2 && time < span(t));
      time = leader ? Math.max(0, leader.video.currentTime - leader.start) : time + ((now - last) / 1000) * rate;
      last = now;
      if (time >= duration) {
        pause();
        seek(duration);
        return;
      }
      tracks.forEach((track) => follow(track, leader));
      onTime(time);
      requestAnimationFrame(tick);
    }

    function play() {
      if (playing) return;
      if (time >= duration - 0.02) seek(0);
      playing = true;
      last = performance.now();
      tracks.forEach((track) => { track.video.playbackRate = rate; });
      tracks.forEach((track) => follow(track, null));
      onState(true);
      requestAnimationFrame(tick);
    }

    function pause() {
      playing = false;
      tracks.forEach((track) => track.video.pause());
      onState(false);
    }

    tracks.forEach((track) => {
      track.video.addEventListener("loadedmetadata", () => place(track));
      track.video.addEventListener("error", () => { tracks = tracks.filter((t) => t !== track); });
    });
    return {
      seek,
      pause,
      toggle: () => (playing ? pause() : play()),
      time: () => time,
      setRate: (value) => {
        rate = value;
        tracks.forEach((track) => { track.video.playbackRate = rate; });
      },
      end: () => { pause(); stopped = true; },
    };
  };
})();
