// Draws the lanes and the latency, filters tables, and lets the reader choose light or dark. The page's sentences and
// tables stand without it.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const plots = [];
  const WHOLE = [...Array(12).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

  // A custom property that holds light-dark() is not resolved until it is used as a colour.
  const probe = document.body.appendChild(document.createElement("i"));
  probe.hidden = true;
  const resolved = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color || colour(name);
  };

  const count = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en"));
  const clock = (s) => new Date(data.begin_ms + s * 1000).toISOString().slice(11, 23);
  const milliseconds = (value) =>
    value == null ? "–" : value >= 1000 ? `${+(value / 1000).toPrecision(3)} s` : `${+value.toPrecision(3)} ms`;
  const seconds = (values) => values.map((value) => `${+value.toFixed(3)} s`);

  const axis = (more) => ({
    stroke: () => resolved("ink-soft"),
    grid: { stroke: () => resolved("line"), width: 1 },
    ticks: { stroke: () => resolved("line"), width: 1 },
    font: "12px system-ui, sans-serif",
    ...more,
  });

  const shade = (plot, begin, end) => {
    const { ctx, bbox } = plot;
    const left = Math.max(plot.valToPos(begin, "x", true), bbox.left);
    const right = Math.min(plot.valToPos(end, "x", true), bbox.left + bbox.width);
    if (right <= left) return;
    ctx.fillStyle = resolved("stall");
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  };

  const mark = (plot, onset, level) => {
    const { ctx, bbox } = plot;
    const x = plot.valToPos(onset.at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = resolved("critical");
    ctx.lineWidth = 2 * ratio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    const isRight = x > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? "right" : "left";
    const at = [x + (isRight ? -7 : 7) * ratio, bbox.top + (4 + level * 18) * ratio];
    const width = ctx.measureText(onset.text).width + 8 * ratio;
    ctx.fillStyle = resolved("critical-ground");
    ctx.fillRect(isRight ? at[0] - width + 4 * ratio : at[0] - 4 * ratio, at[1] - 3 * ratio, width, 18 * ratio);
    ctx.fillStyle = resolved("critical");
    ctx.fillText(onset.text, ...at);
    ctx.restore();
  };

  const options = (place, height, series, scale, y, lane) => ({
    width: Math.max(place.clientWidth, 240),
    height,
    cursor: { sync: { key: "run" }, drag: { x: true, y: false } },
    scales: { x: { time: false, range: (u, low, high) => [low, high] }, y: scale },
    series: [{ label: "at", value: (u, value) => (value == null ? "–" : clock(value)) }, ...series],
    axes: [axis({ values: (u, values) => seconds(values), size: 28, space: 70 }), axis(y)],
    hooks: {
      drawClear: [(u) => lane.stalls.forEach((stall) => shade(u, stall[0], stall[1]))],
      draw: [(u) => lane.onsets.forEach((onset, level) => mark(u, onset, level))],
    },
  });

  const line = (label, name, more) => ({
    label,
    stroke: () => resolved(name),
    width: 2,
    points: { show: false },
    value: (u, value) => count(value),
    ...more,
  });

  const lanePlot = (lane) => {
    const place = document.getElementById(`lane-${lane.partition}`);
    const series = [
      line("sent", "sent", { width: 1.5, fill: () => resolved("sent-fill") }),
      line("stored", "stored"),
      line("watermark", "watermark", { dash: [6, 4] }),
      line("delivered", "delivered", { width: 3 }),
    ];
    const scale = { range: (u, low, high) => [0, Math.max(high * 1.08, 1)] };
    // Messages are counted in whole numbers, and so are the marks of the axis.
    const y = { values: (u, values) => values.map(count), size: 58, incrs: WHOLE };
    const points = [data.at_s, lane.sent, lane.stored, lane.watermark, lane.delivered];
    plots.push([new uPlot(options(place, 170, series, scale, y, lane), points, place), place, 170]);
  };

  const latencyPlot = () => {
    const place = document.getElementById("latency");
    if (!place) return;
    const value = (u, given) => milliseconds(given);
    const series = [
      line("half within", "delivered", { value, spanGaps: true }),
      line("99 % within", "watermark", { value, dash: [6, 4], spanGaps: true }),
    ];
    // Whole decades, or, where the latencies span less than that, 1, 2 and 5 of each.
    const splits = (u, place, low, high) => {
      const steps = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
      const first = Math.floor(Math.log10(low));
      const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, k) => 10 ** (first + k));
      return decades.flatMap((decade) => steps.map((step) => step * decade)).filter((at) => at >= low && at <= high);
    };
    const all = (u, given) => given;
    const y = {
      values: (u, values) => values.map(milliseconds),
      size: 66,
      splits,
      filter: all,
      grid: { stroke: () => resolved("line"), width: 1, filter: all },
    };
    const scale = { distr: 3, range: (u, low, high) => [Math.max((low || 1) / 2, 0.001), Math.max((high || 1) * 2, 1)] };
    const bare = { stalls: [], onsets: data.onsets };
    const points = [data.at_s, data.latency_p50_ms, data.latency_p99_ms];
    plots.push([new uPlot(options(place, 190, series, scale, y, bare), points, place), place, 190]);
  };

  const resize = (width) =>
    plots.forEach(([plot, place, height]) => plot.setSize({ width: width || Math.max(place.clientWidth, 240), height }));
  const redraw = () => plots.forEach(([plot]) => plot.redraw(false, true));

  // What is beyond the edge of a table is told of as long as there is something.
  const wider = () =>
    document.querySelectorAll(".scroll").forEach((region) => {
      const hint = document.getElementById(`${region.querySelector("table").id}-wider`);
      hint.hidden = region.scrollWidth <= region.clientWidth + 1;
    });

  // Ids are pasted with the run before them as well, which the table says once for all rows.
  const ownRun = new RegExp(`^0*${data.run}-(?=p)`);
  const wordsOf = (text) => text.toLowerCase().split(/\s+/).map((word) => word.replace(ownRun, "")).filter(Boolean);

  const searchable = (input) => {
    const rows = [...document.querySelectorAll(`#${input.dataset.table} tbody tr`)];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const told = document.getElementById(`${input.dataset.table}-found`);
    input.addEventListener("input", () => {
      const words = wordsOf(input.value);
      let found = 0;
      rows.forEach((row, place) => {
        row.hidden = !words.every((word) => texts[place].includes(word));
        found += !row.hidden;
      });
      told.textContent = words.length ? `${count(found)} of ${count(rows.length)}` : "";
    });
  };

  const themes = () => {
    const button = document.getElementById("theme");
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
    const tell = () => (button.textContent = isDark() ? "Light" : "Dark");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      tell();
      redraw();
    });
    dark.addEventListener("change", () => (tell(), redraw()));
    tell();
  };

  data.lanes.forEach(lanePlot);
  latencyPlot();
  document.querySelectorAll("input[data-table]").forEach(searchable);
  themes();
  wider();
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => (resize(), wider()));
  });
  let chosen;
  addEventListener("beforeprint", () => {
    chosen = root.dataset.theme;
    root.dataset.theme = "light";
    resize(660);
    redraw();
  });
  addEventListener("afterprint", () => {
    if (chosen) root.dataset.theme = chosen;
    else delete root.dataset.theme;
    resize();
    redraw();
  });
})();
