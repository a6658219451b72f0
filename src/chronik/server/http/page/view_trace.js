// The fetch trace as a time line: for each partition its fetches, its produces, and what happened to its watermark.

import { badge, el, follow, setAttribute, setText, svg, table, tableRow } from "./dom.js";
import { counted, fineClock } from "./format.js";
import { RefusedError } from "./polling.js";
import { section } from "./view_cluster.js";
import { detailsOf, inRows, spanWords, strips } from "./trace_model.js";

const BROKERS_MAX = 16;
const KEPT_MAX = 20000;
const ASKED_MAX = 1000;
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
    this.events = [];
    this.next = new Map();
    this.seen = new Set();
    this.dropped = 0;
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
    for (const each of [this.topic, this.partition, this.client, this.broker]) each.addEventListener("change", () => this.anew());
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

  anew() {
    this.events = [];
    this.next = new Map();
    this.seen = new Set();
    this.dropped = 0;
    const query = this.query();
    history.replaceState(null, "", `#/trace${query.size ? `?${query}` : ""}`);
    this.onAsked?.();
  }

  toggle() {
    const isPaused = this.pause.getAttribute("aria-pressed") !== "true";
    setAttribute(this.pause, "aria-pressed", String(isPaused));
    setText(this.pause, isPaused ? "Go on" : "Pause");
  }

  get isPaused() {
    return this.pause.getAttribute("aria-pressed") === "true";
  }

  /** Ask every broker, or the one that was chosen, for what it has told since the last look. */
  async load(get, cluster) {
    const { next } = this;
    if (this.isPaused || cluster === undefined) return { next, pages: [] };
    const asked = cluster.brokers.filter((each) => each.up && (this.broker.value === "" || this.broker.value === String(each.node_id)));
    const pages = asked.slice(0, BROKERS_MAX).map((each) => this.ask(get, each.node_id));
    return { next, pages: (await Promise.all(pages)).filter((page) => page !== null) };
  }

  async ask(get, node) {
    const query = this.query();
    query.set("node", String(node));
    try {
      if (!this.next.has(node)) {
        // The ring may hold far more than is ever shown: begin near its end.
        const { end } = await get(`/api/traces?node=${node}&limit=0`);
        this.next.set(node, Math.max(end - ASKED_MAX, 0));
      }
      const next = this.next.get(node);
      if (next > 0) query.set("after", String(next - 1));
      query.set("limit", String(ASKED_MAX));
      return await get(`/api/traces?${query}`);
    } catch (error) {
      // A broker that has just gone says nothing; the others do. A question that is wrong is told.
      if (error instanceof RefusedError && error.status >= 500) return null;
      throw error;
    }
  }

  update(cluster, { next, pages }) {
    // Something else has been asked for meanwhile.
    if (next !== this.next) return;
    follow(this.broker, [{ node_id: "" }, ...cluster.brokers], (each) => each.node_id, makeChoice, () => {});
    for (const page of pages) {
      // What was gone before this page began to look is no loss of its own.
      if (this.seen.has(page.node_id)) this.dropped += page.dropped;
      this.seen.add(page.node_id);
      this.next.set(page.node_id, page.next);
      this.events.push(...page.events);
      if (page.events.length === ASKED_MAX) this.onAsked?.();
    }
    this.events.sort((a, b) => a.at_us - b.at_us);
    this.events.splice(0, Math.max(this.events.length - KEPT_MAX, 0));
    const dropped = this.dropped > 0 ? `, ${counted(this.dropped, "event")} dropped` : "";
    setText(this.where, `${counted(this.events.length, "event")}${dropped}`);
    this.explain();
    this.draw();
  }

  fail(error) {
    delete this.how.dataset.topic;
    this.how.replaceChildren(el("p", { text: `${error.message} ${error.whatToDo ?? ""}` }));
    setAttribute(this.how, "hidden", false);
  }

  /** Where nothing is traced, say how to begin. */
  explain() {
    const isEmpty = this.events.length === 0;
    setAttribute(this.how, "hidden", !isEmpty);
    setAttribute(this.listed, "hidden", isEmpty);
    if (!isEmpty) return;
    const topic = this.topic.value.trim() || "TOPIC";
    if (this.how.dataset.topic === topic) return;
    this.how.dataset.topic = topic;
    this.how.replaceChildren(
      el("h2", { text: "Nothing has been traced yet" }),
      el("p", {}, "Traces are off unless they are asked for: ", el("code", { text: `chronik trace on --topic ${topic}` }), " begins, ", el("code", { text: `chronik trace off --topic ${topic}` }), " ends it."),
    );
  }

  draw() {
    const newest = this.events[this.events.length - 1]?.at_us ?? 0;
    const span = Number(this.window.value) * 1e6;
    const from = newest - span;
    // A fetch that began before the window and lies in it has its first event outside.
    const recent = this.events.filter((event) => event.at_us >= from - 2e6);
    const found = [...strips(recent).values()].sort((a, b) => a.name.localeCompare(b.name)).slice(0, STRIPS_MAX);
    follow(this.strips, found, (strip) => strip.name, makeStrip, (row, strip) => updateStrip(row, strip, from, newest));
    const latest = this.events.slice(narrow.matches ? -LISTED_NARROW : -LISTED).reverse();
    follow(this.list.body, latest, (event) => `${event.node} ${event.seq}`, makeEvent, () => {});
  }
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
    ["trace-key nothing", "answered without data"],
    ["trace-key produce", "produce"],
    ["trace-key refused", "refused"],
    ["trace-key advanced", "watermark advanced"],
    ["trace-key held", "watermark held"],
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
  const isInside = (span) => (span.to ?? until) >= from;
  const fetches = inRows(strip.fetches.filter(isInside), until, ROWS_MAX);
  const produces = inRows(strip.produces.filter(isInside), until, ROWS_MAX);
  const marks = strip.marks.filter((mark) => mark.at >= from);
  const fetchRows = Math.max(0, ...fetches.map((each) => each.row + 1));
  const produceTop = MARK_ROW + fetchRows * ROW + 6;
  const height = produceTop + Math.max(0, ...produces.map((each) => each.row + 1)) * ROW + 6;
  setAttribute(row.drawing, "height", String(Math.max(height, 44)));
  setAttribute(row.drawing, "aria-label", stripWords(fetches, produces, marks));
  row.drawing.replaceChildren(
    ...seconds(from, until, x),
    ...fetches.flatMap((each) => bars(each.span, MARK_ROW + each.row * ROW, x, until)),
    ...produces.flatMap((each) => bars(each.span, produceTop + each.row * ROW, x, until)),
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

function bars(span, y, x, until) {
  const to = span.to ?? until;
  const drawn = [bar(kindOf(span), span.from, to, y, x, spanWords(span))];
  if (span.parkedAt !== null) drawn.push(bar("parked", span.parkedAt, to, y, x, spanWords(span)));
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
  if (span.outcome?.event === "request_refused" || span.outcome?.event === "fetch_abandoned") return "refused";
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
