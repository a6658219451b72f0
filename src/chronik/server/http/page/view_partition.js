// One partition: its lane, its replicas, and the history of its high watermark.

import { badge, el, follow, setAttribute, setText, svg, table, tableRow } from "./dom.js";
import { bytes, count, duration, fineClock } from "./format.js";
import { Lane, replicaEnds } from "./lane.js";
import { section } from "./view_cluster.js";
import { legend, syncState } from "./view_partitions.js";

const REPLICAS = [
  { name: "node", label: "Broker" },
  { name: "role", label: "Role" },
  { name: "end", label: "Log end", class: "number" },
  { name: "behind", label: "Behind", class: "number" },
  { name: "caught", label: "Caught up", class: "number" },
  { name: "fetched", label: "Last fetch", class: "number" },
];
const ADVANCES = [
  { name: "at", label: "At", class: "code" },
  { name: "from", label: "From", class: "number" },
  { name: "to", label: "To", class: "number" },
  { name: "by", label: "Because of" },
];
const ADVANCES_SHOWN = 10;
const WIDTH = 800;
const HEIGHT = 160;

export class PartitionView {
  constructor(route) {
    [, this.topic, this.partition] = route.path;
    this.title = `${this.topic}-${this.partition}`;
    this.lane = new Lane();
    this.facts = el("dl", { class: "facts" });
    this.replicas = table("Replicas", REPLICAS);
    this.advances = table("Latest advances of the watermark", ADVANCES);
    this.chart = svg("svg", { class: "steps", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": "not known yet" });
    this.line = svg("path", { class: "spark-line" });
    this.chart.append(this.line);
    this.span = el("p", { class: "span" });
    this.problem = el("p", { class: "empty", hidden: true });
    const trace = `#/trace?topic=${encodeURIComponent(this.topic)}&partition=${this.partition}`;
    this.node = el(
      "div",
      { class: "view" },
      el("nav", { "aria-label": "Way back", class: "back" }, el("a", { href: "#/partitions", text: "All partitions" })),
      el("h1", { text: this.title }),
      this.problem,
      el("div", { class: "large" }, this.lane.node),
      legend(),
      this.facts,
      el(
        "div",
        { class: "beside" },
        section("Replicas", this.replicas.node),
        section("Watermark", this.chart, this.span, this.advances.node),
      ),
      el("p", {}, el("a", { href: trace, text: "Trace of this partition" })),
    );
  }

  get path() {
    return `/api/topics/${encodeURIComponent(this.topic)}/${this.partition}`;
  }

  urls() {
    return [this.path, `${this.path}/watermarks`];
  }

  update(cluster, [found, history]) {
    const partition = found.topic === undefined ? found.partition : found;
    setAttribute(this.problem, "hidden", true);
    this.lane.update(partition);
    follow(this.facts, fieldsOf(partition), (fact) => fact[0], makeField, (row, fact) => setText(row.value, fact[1]));
    const rows = replicaEnds(partition).map((each) => ({ ...each, partition }));
    follow(this.replicas.body, rows, (each) => each.node, () => tableRow(REPLICAS), updateReplica);
    this.updateHistory(history.advances ?? []);
  }

  /** Show why there is no data: the partition may have been deleted meanwhile. */
  fail(error) {
    setText(this.problem, `${error.message} ${error.whatToDo ?? ""}`.trim());
    setAttribute(this.problem, "hidden", false);
  }

  updateHistory(advances) {
    const latest = advances.slice(-ADVANCES_SHOWN).reverse();
    follow(this.advances.body, latest, (each) => `${each.at_ms} ${each.to}`, () => tableRow(ADVANCES), updateAdvance);
    setAttribute(this.advances.node, "hidden", advances.length === 0);
    setAttribute(this.line, "d", steps(advances));
    setAttribute(this.chart, "aria-label", historyWords(advances));
    setText(this.span, historyWords(advances));
  }
}

function fieldsOf(partition) {
  return [
    ["Leader", partition.leader >= 0 ? `broker ${partition.leader}, epoch ${partition.leader_epoch}` : "none"],
    ["Log start", count(partition.log_start)],
    ["Watermark", count(partition.high_watermark)],
    ["Last stable offset", count(partition.last_stable_offset)],
    ["Log end", count(partition.log_end)],
    ["Not committed", count(partition.lag)],
    ["Watermark stalled for", partition.stands_for_ms > 0 ? duration(partition.stands_for_ms) : "not stalled"],
    ["Size", bytes(partition.size_bytes)],
    ["In sync", syncState(partition).text],
    ["Topic id", partition.topic_id ?? "–"],
  ];
}

function makeField([name]) {
  const value = el("dd");
  return { node: el("div", {}, el("dt", { text: name }), value), value };
}

function updateReplica({ cells }, replica) {
  setText(cells.node, String(replica.node));
  const role = replica.isLeader ? { text: "leader" } : replica.isInSync ? { text: "in sync", tone: "good" } : { text: "not in sync", tone: "warning" };
  follow(cells.role, [role], (each) => each.text, (each) => badge(each.text, each.tone), () => {});
  setText(cells.end, count(replica.end));
  setText(cells.behind, count(Math.max(replica.partition.log_end - replica.end, 0)));
  setText(cells.caught, replica.isLeader ? "–" : ago(replica.follower?.caught_up_ms_ago));
  setText(cells.fetched, replica.isLeader ? "–" : ago(replica.follower?.fetched_ms_ago));
}

function ago(ms) {
  return ms === null || ms === undefined ? "never" : `${duration(ms)} ago`;
}

function updateAdvance({ cells }, advance) {
  setText(cells.at, fineClock(advance.at_ms));
  setText(cells.from, count(advance.from));
  setText(cells.to, count(advance.to));
  setText(cells.by, advance.by === null || advance.by === undefined ? "–" : `${/^\d+$/.test(advance.by) ? "broker " : ""}${advance.by}`);
}

function historyWords(advances) {
  if (advances.length === 0) return "The watermark has not moved in this leader epoch.";
  const first = advances[0];
  const last = advances[advances.length - 1];
  const span = duration(last.at_ms - first.at_ms);
  return `From ${count(first.from)} to ${count(last.to)} in ${count(advances.length)} steps over ${span}, the last at ${fineClock(last.at_ms)}`;
}

/** The high watermark over time, as steps. */
function steps(advances) {
  if (advances.length === 0) return "";
  const first = advances[0];
  const last = advances[advances.length - 1];
  const x = (at) => (((at - first.at_ms) / (last.at_ms - first.at_ms || 1)) * (WIDTH - 8) + 4).toFixed(1);
  const y = (offset) => (HEIGHT - 6 - ((offset - first.from) / (last.to - first.from || 1)) * (HEIGHT - 12)).toFixed(1);
  return `M4 ${y(first.from)}` + advances.map((each) => `H${x(each.at_ms)}V${y(each.to)}`).join("") + `H${WIDTH - 4}`;
}
