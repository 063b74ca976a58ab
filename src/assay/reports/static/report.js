/* index.html: sorts the summary table and shows the list of episodes, a page at a time. */
(function () {
  "use strict";
  const { el, svg, points, address } = window.assay;

  // Summary table: a group of rows is one cell of the audit and moves as one.

  function sortTable(table, heads, place) {
    const head = heads[place];
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const numeric = head.classList.contains("num");
    const keyed = [...table.tBodies].map((body) => {
      const key = body.rows[0].cells[place].dataset.sort;
      return { body, key: numeric && key !== "" ? Number(key) : key };
    });
    keyed.sort((a, b) => {
      if (a.key === "" || b.key === "") return (a.key === "") - (b.key === "");
      const order = numeric ? a.key - b.key : a.key.localeCompare(b.key);
      return up ? order : -order;
    });
    keyed.forEach((entry) => entry.body.classList.remove("starts")); // they marked the first order
    table.append(...keyed.map((entry) => entry.body));
  }

  /** Let a span act as a button for the keys: browsers don't repeat a table head with real buttons in print. */
  function makeButton(span, act) {
    span.setAttribute("role", "button");
    span.setAttribute("tabindex", "0");
    span.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const act = () => sortTable(table, heads, place);
      makeButton(head.querySelector(".sorter"), act);
      head.classList.add("sorts");
      head.addEventListener("click", act);
    });
  });

  // What is folded away is printed too.

  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:not([open])")];
    unfolded.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => {
    unfolded.splice(0).forEach((part) => { part.open = false; });
  });

  // List of episodes.

  const PAGE = 50;
  const SUCCESS = { 1: "yes", 0: "no", "-": "no label" };
  const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
  const COLUMNS = [
    ["name", "Episode", "text"], ["task", "Task", "text"], ["policy", "Policy", "text"],
    ["status", "Status", "text"], ["success", "Success", "text"], ["spark", "Progress", "none"],
    ["mc", "MC", "num"], ["mp", "MP", "num"], ["ppl", "PPL", "num"], ["cra", "CRA", "num"],
    ["str", "STR", "num"], ["duration", "Seconds", "num"],
  ];
  const FILTERS = ["task", "policy", "status", "success"];

  function sparkline(word) {
    if (!word) return "";
    const step = word.length > 1 ? 100 / (word.length - 1) : 0;
    let path = "";
    let pen = "M";
    for (let i = 0; i < word.length; i++) {
      const level = LEVELS.indexOf(word[i]);
      if (level < 0) { pen = "M"; continue; }
      path += pen + (2 + i * step).toFixed(1) + " " + (21 - (level / 63) * 18).toFixed(1);
      pen = "L";
    }
    return svg("svg", { class: "spark", viewBox: "0 0 104 24", "aria-hidden": "true" },
      svg("line", { x1: 2, x2: 102, y1: 21.5, y2: 21.5 }), svg("path", { d: path }));
  }

  function makeList(data, host) {
    const state = { task: "", policy: "", status: "", success: "", find: "", by: "", down: "", page: "0" };
    const heads = {};
    const body = el("tbody");
    const shown = el("span", { role: "status" });
    const place = el("span");
    const back = el("button", { type: "button", class: "plain", onclick: () => turn(-1) }, "← previous");
    const on = el("button", { type: "button", class: "plain", onclick: () => turn(1) }, "next →");
    const inputs = {};
    let order = [];

    const text = {
      name: (i) => data.ids[i],
      task: (i) => data.task_names[data.task[i]],
      policy: (i) => data.policy_names[data.policy[i]],
      status: (i) => data.status_names[data.status[i]],
      success: (i) => SUCCESS[data.success[i]],
    };

    function turn(by) {
      state.page = String(Number(state.page) + by);
      draw();
      host.scrollIntoView();
    }

    function sortBy(key) {
      const first = text[key] ? "" : "1"; // numbers start with the largest
      state.down = state.by === key ? (state.down ? "" : "1") : first;
      state.by = key;
      state.page = "0";
      choose();
    }

    function compare(a, b) {
      const key = state.by;
      if (text[key]) return text[key](a).localeCompare(text[key](b)) * (state.down ? -1 : 1) || a - b;
      const x = data[key][a];
      const y = data[key][b];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return (x - y) * (state.down ? -1 : 1) || a - b;
    }

    /** Find and sort what the filters let through, then draw. */
    function choose() {
      const wanted = state.find.toLowerCase();
      order = [];
      for (let i = 0; i < data.ids.length; i++) {
        if (FILTERS.some((key) => state[key] !== "" && text[key](i) !== state[key])) continue;
        if (wanted && !data.ids[i].toLowerCase().includes(wanted)) continue;
        order.push(i);
      }
      if (state.by) order.sort(compare);
      draw();
    }

    function row(i) {
      const good = text.status(i) === "ok";
      const number = (key) => el("td", { class: "num" }, points(data[key][i]));
      return el("tr", {},
        el("td", { class: "name" }, el("a", { href: address(data.ids[i]) }, data.ids[i])),
        el("td", {}, text.task(i)), el("td", {}, text.policy(i)),
        el("td", { class: good ? null : "not-ok" }, text.status(i)),
        el("td", {}, text.success(i)), el("td", {}, sparkline(data.spark[i])),
        number("mc"), number("mp"), number("ppl"), number("cra"), number("str"),
        el("td", { class: "num" }, data.duration[i] === null ? "" : data.duration[i].toFixed(1)));
    }

    function draw() {
      const pages = Math.max(1, Math.ceil(order.length / PAGE));
      const page = Math.min(Math.max(0, Number(state.page) || 0), pages - 1);
      state.page = String(page);
      body.replaceChildren(...order.slice(page * PAGE, (page + 1) * PAGE).map(row));
      const all = data.ids.length + (data.ids.length === 1 ? " episode" : " episodes");
      shown.textContent = order.length === data.ids.length ? all : order.length + " of " + all;
      place.textContent = "page " + (page + 1) + " of " + pages;
      back.disabled = page === 0;
      on.disabled = page === pages - 1;
      Object.entries(heads).forEach(([key, head]) => head.setAttribute("aria-sort",
        state.by !== key ? "none" : state.down ? "descending" : "ascending"));
      remember();
    }

    /** Keep the choice in the address, so that "back" from an episode finds it again. */
    function remember() {
      const kept = Object.entries(state).filter(([, value]) => value !== "" && value !== "0");
      if (kept.length) {
        history.replaceState(null, "", "#episodes?" + new URLSearchParams(kept));
      } else if (location.hash.startsWith("#episodes?")) {
        history.replaceState(null, "", "#episodes");
      }
    }

    function recall() {
      if (!location.hash.startsWith("#episodes?")) return false;
      for (const [key, value] of new URLSearchParams(location.hash.slice(10))) {
        if (key in state) state[key] = value;
      }
      Object.entries(inputs).forEach(([key, input]) => { input.value = state[key]; });
      return true;
    }

    function changed(key, value) {
      state[key] = value;
      state.page = "0";
      choose();
    }

    function choice(key, names) {
      const options = names.map((name) => el("option", { value: name }, name));
      inputs[key] = el("select", { name: key, onchange: (e) => changed(key, e.target.value) },
        el("option", { value: "" }, "all"), ...options);
      return el("label", {}, key[0].toUpperCase() + key.slice(1), inputs[key]);
    }

    inputs.find = el("input", { type: "search", name: "find", placeholder: "part of an episode's name",
      oninput: (e) => changed("find", e.target.value) });
    const row1 = COLUMNS.map(([key, name, kind]) => {
      if (kind === "none") return el("th", { scope: "col" }, name);
      const button = el("button", { type: "button" }, name); // its click is the head's as well
      heads[key] = el("th", { scope: "col", class: kind + " sorts", "aria-sort": "none",
        onclick: () => sortBy(key) }, button);
      return heads[key];
    });
    host.append(
      el("div", { class: "filters" },
        choice("task", data.task_names), choice("policy", data.policy_names),
        choice("status", data.status_names),
        choice("success", [...new Set(data.success)].sort().reverse().map((flag) => SUCCESS[flag])),
        el("label", { class: "grow" }, "Search", inputs.find), shown),
      el("div", { class: "scroll" },
        el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...row1)), body)),
      el("div", { class: "pager" }, back, place, on));
    const recalled = recall();
    choose();
    if (recalled) host.scrollIntoView();
  }

  /** Called by assets/usage.js with what the command that made the report sent, in words. */
  window.assayUsage = function (lines) {
    const told = lines.map((line) => el("li", {}, "When this report was made: " + line));
    document.getElementById("usage").append(...told);
  };

  window.assay.ready((data) => makeList(data, document.getElementById("list")));
})();
