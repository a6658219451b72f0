// All partitions, a lane each; one page at a time, so that a thousand partitions cost no more than fifty.

import { badge, el, follow, setAttribute, setText, table, tableRow } from "./dom.js";
import { brief, count, duration } from "./format.js";
import { Lane } from "./lane.js";

const PAGE = 50;

const COLUMNS = [
  { name: "partition", label: "Partition" },
  { name: "leader", label: "Leader" },
  { name: "lane", label: "Log", class: "lane-cell" },
  { name: "start", label: "Log start", class: "number" },
  { name: "watermark", label: "Watermark", class: "number" },
  { name: "end", label: "Log end", class: "number" },
  { name: "lag", label: "Not committed", class: "number" },
  { name: "sync", label: "In sync" },
];

export class PartitionsView {
  title = "Partitions";

  constructor(route) {
    this.asked = { topic: route.query.get("topic") ?? "", sort: route.query.get("sort") ?? "name", fault: route.query.has("fault"), offset: Number(route.query.get("offset") ?? 0) };
    this.filter = el("input", { type: "search", id: "filter", value: this.asked.topic, list: "topics", placeholder: "all topics", autocomplete: "off", spellcheck: "false" });
    this.filter.value = this.asked.topic;
    this.sort = el("select", { id: "sort" }, el("option", { value: "name", text: "name" }), el("option", { value: "lag", text: "most uncommitted records" }));
    this.sort.value = this.asked.sort;
    this.fault = el("input", { type: "checkbox", id: "fault" });
    this.fault.checked = this.asked.fault;
    this.topics = el("datalist", { id: "topics" });
    this.found = el("p", { class: "found", role: "status" });
    this.table = table("Partitions", COLUMNS, "partitions");
    this.before = el("button", { type: "button", text: "Previous" });
    this.after = el("button", { type: "button", text: "Next" });
    this.empty = el("p", { class: "empty", hidden: true, text: "No partition matches." });
    this.node = el(
      "div",
      { class: "view" },
      el("h1", { text: "Partitions" }),
      el(
        "form",
        { class: "controls", role: "search", "aria-label": "Partitions", on: { submit: (event) => event.preventDefault() } },
        el("div", { class: "field" }, el("label", { for: "filter", text: "Topic" }), this.filter, this.topics),
        el("div", { class: "field" }, el("label", { for: "sort", text: "Sorted by" }), this.sort),
        el("div", { class: "field check" }, this.fault, el("label", { for: "fault", text: "Only with faults" })),
        this.found,
        el("div", { class: "pages", role: "group", "aria-label": "Pages" }, this.before, this.after),
      ),
      legend(),
      this.table.node,
      this.empty,
    );
    this.filter.addEventListener("input", () => this.ask({ topic: this.filter.value.trim(), offset: 0 }));
    this.sort.addEventListener("change", () => this.ask({ sort: this.sort.value, offset: 0 }));
    this.fault.addEventListener("change", () => this.ask({ fault: this.fault.checked, offset: 0 }));
    this.before.addEventListener("click", () => this.turn(-PAGE));
    this.after.addEventListener("click", () => this.turn(PAGE));
  }

  /** Change the query; the URL follows, so that it can be bookmarked and shared. */
  ask(change) {
    Object.assign(this.asked, change);
    const query = this.query();
    history.replaceState(null, "", `#/partitions${query ? `?${query}` : ""}`);
    this.onAsked?.();
  }

  turn(by) {
    this.ask({ offset: Math.max(this.asked.offset + by, 0) });
    this.node.scrollIntoView({ block: "start" });
  }

  query() {
    const { topic, sort, fault, offset } = this.asked;
    const query = new URLSearchParams();
    if (topic) query.set("topic", topic);
    if (sort !== "name") query.set("sort", sort);
    if (fault) query.set("fault", "1");
    if (offset) query.set("offset", String(offset));
    return query;
  }

  async load(get) {
    const asked = { ...this.asked };
    const query = this.query();
    query.delete("topic");
    if (asked.topic) query.set("contains", asked.topic);
    query.set("limit", String(PAGE));
    return { asked, page: await get(`/api/partitions?${query}`) };
  }

  update(cluster, { asked, page }) {
    // The query has changed meanwhile: this response does not belong to it.
    if (Object.keys(asked).some((name) => asked[name] !== this.asked[name])) return;
    follow(this.topics, cluster.topics.slice(0, 500), (each) => each.topic, (each) => el("option", { value: each.topic }), () => {});
    follow(this.table.body, page.partitions, (each) => `${each.topic}-${each.partition}`, makeRow, updateRow);
    const { offset } = this.asked;
    const last = offset + page.partitions.length;
    setText(this.found, page.total === 0 ? "none" : `${count(offset + 1)} to ${count(last)} of ${count(page.total)}`);
    this.before.disabled = offset === 0;
    this.after.disabled = last >= page.total;
    setAttribute(this.empty, "hidden", page.partitions.length > 0);
    setAttribute(this.table.node, "hidden", page.partitions.length === 0);
    if (page.partitions.length === 0 && offset > 0) this.ask({ offset: 0 });
  }
}

/** What the marks of a lane mean. */
export function legend() {
  const marks = [
    ["legend-committed", "committed"],
    ["legend-open", "written, not committed"],
    ["legend-watermark", "watermark"],
    ["legend-end", "log end"],
    ["mark-replica leads", "leader", "1"],
    ["mark-replica", "follower in sync", "2"],
    ["mark-replica behind", "not in sync", "3!"],
  ];
  return el(
    "ul",
    { class: "legend", "aria-label": "What the marks mean" },
    ...marks.map(([mark, text, inside]) => el("li", {}, el("span", { class: mark, text: inside ?? "", "aria-hidden": "true" }), text)),
  );
}

function makeRow(partition) {
  const row = tableRow(COLUMNS);
  row.lane = new Lane();
  row.cells.lane.append(row.lane.node);
  const where = `#/partitions/${encodeURIComponent(partition.topic)}/${partition.partition}`;
  row.cells.partition.append(el("a", { href: where, text: `${partition.topic}-${partition.partition}` }));
  row.stalled = el("span", { class: "stands" });
  row.cells.partition.append(row.stalled);
  return row;
}

function updateRow(row, partition) {
  const { cells } = row;
  row.lane.update(partition);
  setText(row.stalled, partition.stands_for_ms >= 1000 ? `stalled for ${duration(partition.stands_for_ms)}` : "");
  setText(cells.leader, partition.leader >= 0 ? `${partition.leader}` : "none");
  cells.leader.title = `leader epoch ${partition.leader_epoch}`;
  setText(cells.start, count(partition.log_start));
  setText(cells.watermark, count(partition.high_watermark));
  setText(cells.end, count(partition.log_end));
  setText(cells.lag, brief(partition.lag));
  setAttribute(cells.lag, "data-tone", partition.stands_for_ms >= 1000 ? "warning" : null);
  follow(cells.sync, [syncState(partition)], (state) => state.text, (state) => badge(state.text, state.tone), () => {});
}

/** How many replicas are in sync, as text that needs no colour. */
export function syncState(partition) {
  if (partition.role === "offline" || partition.leader < 0) return { text: "offline", tone: "critical" };
  if (partition.leader_silent) return { text: "leader silent", tone: "critical" };
  const missing = partition.replicas.filter((node) => !partition.isr.includes(node));
  if (missing.length > 0) return { text: `without ${missing.join(", ")}`, tone: "warning" };
  return { text: `all ${partition.isr.length}`, tone: "good" };
}
