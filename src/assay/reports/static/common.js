/* Shared by both pages: the data that other scripts hand over, and helpers to build elements. */
(function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg"; // the name of a language; nothing is fetched
  const assay = { episodes: null };
  const shards = new Map();
  const loading = new Map();
  const waiting = [];

  /** Called by assets/episodes.js with the columns of the list. */
  window.assayEpisodes = function (data) {
    assay.episodes = data;
    waiting.splice(0).forEach((run) => run(data));
  };

  /** Called by assets/data-NNN.js with the records of one shard. */
  window.assayData = function (number, records) {
    shards.set(number, records);
  };

  /** Run `then(data)` once the list is there. */
  assay.ready = function (then) {
    if (assay.episodes) then(assay.episodes);
    else waiting.push(then);
  };

  /** Return a promise that shard `number` is there; asked twice, it loads once. */
  function load(number) {
    if (!loading.has(number)) {
      loading.set(number, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = "assets/data-" + String(number).padStart(3, "0") + ".js";
        script.onload = resolve;
        script.onerror = () => {
          loading.delete(number); // the next visit tries again
          reject(new Error(script.src + " can't be read."));
        };
        document.head.append(script);
      }));
    }
    return loading.get(number);
  }

  /** Return a promise of the record at `place` of the list, loading its shard when needed. */
  assay.record = async function (place) {
    const size = assay.episodes.shard;
    const number = Math.floor(place / size);
    await load(number);
    return shards.get(number)[place % size];
  };

  function build(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** Return an HTML element; strings among the children are text, never markup. */
  assay.el = (name, attributes, ...children) =>
    build(document.createElement(name), attributes, children);

  /** Return an SVG element. */
  assay.svg = (name, attributes, ...children) =>
    build(document.createElementNS(SVG, name), attributes, children);

  /** Word a number kept in tenths of a point, as the tables do. */
  assay.points = (tenths) => (tenths === null ? "n/a" : (tenths / 10).toFixed(1));

  /** Return the address of an episode's page. */
  assay.address = (id) => "episode.html#" + encodeURIComponent(id);

  window.assay = assay;
})();
