// The trace as a time line: for each partition its fetches, its produces, and the events of its high watermark.

import { badge, el, follow, setAttribute, setText, svg, table, tableRow } from "./dom.js";
import { counted, fineClock } from "./format.js";
import { section } from "./view_cluster.js";
import { detailsOf, inRows, spanWords, strips } from "./trace_model.js";
import { Reading } from "./trace_reading.js";

const BROKERS_MAX = 16;
const LISTED = 60;
const LISTED_NARROW = 20;
const STRIPS_MAX = 12;
const ROWS_MAX = 6;
const ROW = 12;
const MARK_ROW = 28;

const EVENTS = [
  { name: "at", label: "At", class: "code" },
  { name: "node", label: "Broker" },
  { name: "event", label: "Event" },
  { name: "partition", label: "Partition" },
  { name: "client", label: "Client" },
  { name: "details", label: "Details", class: "details" },
];

const narrow = window.matchMedia("(max-width: 720px)");

export class TraceView {
  title = "Trace";

  constructor(route) {
    this.reading = new Reading();
    this.topic = input("trace-topic", "search", route.query.get("topic") ?? "", "all topics");
    this.partition = input("trace-partition", "search", route.query.get("partition") ?? "", "all");
    this.partition.inputMode = "numeric";
    this.client = input("trace-client", "search", route.query.get("client") ?? "", "all clients");
    this.broker = el("select", { id: "trace-broker" });
    this.window = el("select", { id: "trace-window" }, ...[1, 5, 15, 60].map((s) => el("option", { value: String(s), text: `${s} s` })));
    this.window.value = "5";
    this.pause = el("button", { type: "button", "aria-pressed": "false", text: "Pause" });
    this.where = el("p", { class: "found" });
    this.how = el("div", { class: "panel how", hidden: true });
    this.strips = el("div", { class: "strips" });
    this.list = table("Events, newest first", EVENTS, "events");
    this.listed = section("Events, newest first", this.list.node);
    for (const each of [this.topic, this.partition, this.client, this.broker]) each.addEventListener("change", () => this.restart());
    this.window.addEventListener("change", () => this.draw());
    this.pause.addEventListener("click", () => this.toggle());
    this.node = el(
      "div",
      { class: "view" },
      el("h1", { text: "Trace" }),
      el(
        "form",
        { class: "controls", role: "search", "aria-label": "Trace", on: { submit: (event) => event.preventDefault() } },
        field("trace-topic", "Topic", this.topic),
        field("trace-partition", "Partition", this.partition),
        field("trace-client", "Client", this.client),
        field("trace-broker", "Broker", this.broker),
        field("trace-window", "Shown", this.window),
        this.pause,
        this.where,
      ),
      legend(),
      this.how,
      this.strips,
      this.listed,
    );
  }

  query() {
    const query = new URLSearchParams();
    if (this.topic.value.trim()) query.set("topic", this.topic.value.trim());
    if (this.partition.value.trim()) query.set("partition", this.partition.value.trim());
    if (this.client.value.trim()) query.set("client", this.client.value.trim());
    return query;
  }

  restart() {
    this.reading = new Reading();
    const query = this.query();
    history.replaceState(null, "", `#/trace${query.size ? `?${query}` : ""}`);
    this.onAsked?.();
  }

  toggle() {
    const isPaused = this.pause.getAttribute("aria-pressed") !== "true";
    setAttribute(this.pause, "aria-pressed", String(isPaused));
    setText(this.pause, isPaused ? "Resume" : "Pause");
  }

  get isPaused() {
    return this.pause.getAttribute("aria-pressed") === "true";
  }

  /** Ask every broker, or the chosen one, for its events since the last poll. */
  async load(get, cluster) {
    const { reading } = this;
    if (this.isPaused || cluster === undefined) return reading;
    const asked = cluster.brokers.filter((each) => each.up && (this.broker.value === "" || this.broker.value === String(each.node_id)));
    await reading.look(get, asked.slice(0, BROKERS_MAX).map((each) => each.node_id), this.query());
    return reading;
  }

  update(cluster, reading) {
    // The query has changed meanwhile.
    if (reading !== this.reading) return;
    follow(this.broker, [{ node_id: "" }, ...cluster.brokers], (each) => each.node_id, makeChoice, () => {});
    setText(this.where, `${counted(reading.count, "event")}${this.missedWords()}`);
    this.explain();
    this.draw();
  }

  /** The broker counts missing events before it filters. */
  missedWords() {
    const { missed } = this.reading;
    if (missed === 0) return "";
    return `, ${this.query().size > 0 ? "up to " : ""}${counted(missed, "event")} missed`;
  }

  fail(error) {
    delete this.how.dataset.topic;
    this.how.replaceChildren(el("p", { text: `${error.message} ${error.whatToDo ?? ""}` }));
    setAttribute(this.how, "hidden", false);
  }

  /** If nothing is traced, explain how to switch the trace on. */
  explain() {
    const isEmpty = this.reading.events.length === 0;
    setAttribute(this.how, "hidden", !isEmpty);
    setAttribute(this.listed, "hidden", isEmpty);
    if (!isEmpty) return;
    const topic = this.topic.value.trim() || "TOPIC";
    if (this.how.dataset.topic === topic) return;
    this.how.dataset.topic = topic;
    this.how.replaceChildren(
      el("h2", { text: "Nothing has been traced yet" }),
      el("p", {}, "The trace is off by default. Switch it on with ", el("code", { text: `chronik trace on --topic ${topic}` }), " and off with ", el("code", { text: `chronik trace off --topic ${topic}` }), "."),
    );
  }

  draw() {
    const { events, brokers, since } = this.reading;
    const found = [...strips(events, brokers).values()];
    const until = endOf(events, found);
    const from = Math.max(until - Number(this.window.value) * 1e6, since);
    const shown = found.map((strip) => within(strip, from)).filter((strip) => strip !== null);
    shown.sort((a, b) => a.name.localeCompare(b.name));
    follow(this.strips, shown.slice(0, STRIPS_MAX), (strip) => strip.name, makeStrip, (row, strip) => updateStrip(row, strip, from, until));
    const latest = events.slice(narrow.matches ? -LISTED_NARROW : -LISTED).reverse();
    follow(this.list.body, latest, (event) => `${event.node} ${event.at_us} ${event.seq} ${event.why ?? ""}`, makeEvent, () => {});
  }
}

/** The newest known moment: with a request in progress it is later than any event. */
function endOf(events, found) {
  let end = events[events.length - 1]?.at_us ?? 0;
  for (const { fetches, produces } of found) for (const each of [...fetches, ...produces]) end = Math.max(end, each.to);
  return end;
}

/** The part of a strip after a time; null if there is none. */
function within({ name, ...strip }, from) {
  const fetches = strip.fetches.filter((span) => span.to >= from);
  const produces = strip.produces.filter((span) => span.to >= from);
  const marks = strip.marks.filter((mark) => mark.at >= from);
  return fetches.length + produces.length + marks.length > 0 ? { name, fetches, produces, marks } : null;
}

function input(id, type, value, placeholder) {
  const node = el("input", { id, type, placeholder, autocomplete: "off", spellcheck: "false" });
  node.value = value;
  return node;
}

function makeChoice({ node_id }) {
  return el("option", { value: String(node_id), text: node_id === "" ? "all" : String(node_id) });
}

function field(id, label, control) {
  return el("div", { class: "field" }, el("label", { for: id, text: label }), control);
}

function legend() {
  const marks = [
    ["trace-key served", "fetch answered with data"],
    ["trace-key parked", "fetch waits"],
    ["trace-key nothing", "fetch answered without data"],
    ["trace-key produce", "produce"],
    ["trace-key refused", "error or closed connection"],
    ["trace-key advanced", "watermark advanced"],
    ["trace-key held", "watermark held"],
    ["trace-key unread", "end unknown"],
  ];
  return el("ul", { class: "legend", "aria-label": "What the marks mean" }, ...marks.map(([mark, text]) => el("li", {}, el("span", { class: mark, "aria-hidden": "true" }), text)));
}

function makeStrip(strip) {
  const drawing = svg("svg", { class: "strip-drawing", role: "img", "aria-label": strip.name });
  const axis = el("p", { class: "strip-axis code" });
  const title = el("h2", { text: strip.name });
  return { node: el("section", { class: "panel strip", "aria-label": `Time line of ${strip.name}` }, title, drawing, axis), drawing, axis };
}

function updateStrip(row, strip, from, until) {
  const x = (at) => ((Math.min(Math.max(at, from), until) - from) / (until - from)) * 100;
  const { marks } = strip;
  const fetches = inRows(strip.fetches, ROWS_MAX);
  const produces = inRows(strip.produces, ROWS_MAX);
  const fetchRows = Math.max(0, ...fetches.map((each) => each.row + 1));
  const produceTop = MARK_ROW + fetchRows * ROW + 6;
  const height = produceTop + Math.max(0, ...produces.map((each) => each.row + 1)) * ROW + 6;
  setAttribute(row.drawing, "height", String(Math.max(height, 44)));
  setAttribute(row.drawing, "aria-label", stripWords(fetches, produces, marks));
  row.drawing.replaceChildren(
    ...seconds(from, until, x),
    ...fetches.flatMap((each) => bars(each.span, MARK_ROW + each.row * ROW, x)),
    ...produces.flatMap((each) => bars(each.span, produceTop + each.row * ROW, x)),
    ...marks.map((mark) => drawMark(mark, x)),
  );
  setText(row.axis, `${fineClock(from / 1000)} to ${fineClock(until / 1000)}`);
}

function stripWords(fetches, produces, marks) {
  const advanced = marks.filter((mark) => mark.kind === "watermark_advanced").length;
  const parked = fetches.filter((each) => each.span.parkedAt !== null).length;
  return `${counted(fetches.length, "fetch", "fetches")}, ${parked} of them parked; ${counted(produces.length, "produce")}; the watermark advanced ${counted(advanced, "time")}`;
}

function seconds(from, until, x) {
  const step = until - from > 2e7 ? 1e7 : until - from > 4e6 ? 1e6 : 2e5;
  const lines = [];
  for (let at = Math.ceil(from / step) * step; at < until; at += step) lines.push(svg("line", { class: "strip-line", x1: `${x(at)}%`, x2: `${x(at)}%`, y1: "0", y2: "100%" }));
  return lines;
}

function bars(span, y, x) {
  const { state, to } = span;
  const open = state === "unread" || state === "lost" ? " unread" : "";
  const drawn = [bar(kindOf(span) + open, span.from, to, y, x, spanWords(span))];
  if (span.parkedAt !== null) drawn.push(bar(`parked${open}`, span.parkedAt, to, y, x, spanWords(span)));
  return drawn;
}

function bar(kind, from, to, y, x, words) {
  return svg(
    "rect",
    { class: `bar ${kind}`, x: `${x(from).toFixed(3)}%`, width: `${Math.max(x(to) - x(from), 0.25).toFixed(3)}%`, y, height: ROW - 3, rx: 2 },
    svg("title", { text: words }),
  );
}

function kindOf(span) {
  if (["request_refused", "fetch_abandoned", "produce_abandoned"].includes(span.outcome?.event)) return "refused";
  if (span.first.event === "produce_received") return "produce";
  return span.outcome?.size_bytes > 0 ? "served" : "nothing";
}

function drawMark(mark, x) {
  const shape = mark.kind === "watermark_advanced" ? "▲" : mark.kind === "watermark_held" ? "■" : mark.kind === "request_refused" ? "✕" : "◆";
  const words = `${mark.kind.replaceAll("_", " ")}: ${detailsOf(mark.event)}`;
  return svg("text", { class: `mark ${mark.kind}`, x: `${x(mark.at).toFixed(3)}%`, y: mark.kind === "watermark_held" ? 23 : 12 }, shape, svg("title", { text: words }));
}

function makeEvent(event) {
  const row = tableRow(EVENTS);
  row.cells.at.textContent = fineClock(event.at_us / 1000);
  row.cells.node.textContent = String(event.node);
  row.cells.event.append(badge(event.event.replaceAll("_", " "), event.event === "request_refused" ? "critical" : ""));
  row.cells.partition.textContent = event.topic ? `${event.topic}-${event.partition}` : "–";
  row.cells.client.textContent = event.client_id ? `${event.client_id} #${event.correlation_id}` : "–";
  row.cells.details.textContent = detailsOf(event);
  return row;
}
