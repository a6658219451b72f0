// Consumer groups: members, committed offsets, lag, and the trend of the lag.

import { badge, el, follow, setAttribute, setText, table, tableRow } from "./dom.js";
import { count } from "./format.js";
import { seen } from "./history.js";
import { Sparkline } from "./sparkline.js";
import { section } from "./view_cluster.js";

const GROUPS = [
  { name: "group", label: "Group" },
  { name: "state", label: "State" },
  { name: "members", label: "Members", class: "number" },
  { name: "lag", label: "Lag", class: "number" },
  { name: "trend", label: "In the last half minute" },
  { name: "spark", label: "Lag over time", class: "drawn wide" },
];
const OFFSETS = [
  { name: "partition", label: "Partition" },
  { name: "committed", label: "Committed", class: "number" },
  { name: "end", label: "Watermark", class: "number" },
  { name: "lag", label: "Lag", class: "number" },
  { name: "reader", label: "Read by" },
  { name: "why", label: "Note" },
];
const MEMBERS = [
  { name: "id", label: "Member", class: "code" },
  { name: "client", label: "Client" },
  { name: "host", label: "Host", class: "code" },
  { name: "partitions", label: "Partitions" },
];
const TREND_MS = 30000;
const ROWS_MAX = 200;

export class GroupsView {
  title = "Groups";

  constructor() {
    this.table = table("Consumer groups", GROUPS);
    this.empty = el("p", { class: "empty", text: "No consumer groups yet." });
    this.node = el("div", { class: "view" }, el("h1", { text: "Groups" }), this.table.node, this.empty);
  }

  urls() {
    return [];
  }

  update(cluster) {
    const groups = [...cluster.groups].sort((a, b) => b.lag - a.lag || a.group.localeCompare(b.group)).slice(0, ROWS_MAX);
    follow(this.table.body, groups, (each) => each.group, makeGroup, updateGroup);
    setAttribute(this.table.node, "hidden", groups.length === 0);
    setAttribute(this.empty, "hidden", groups.length > 0);
  }
}

export class GroupView {
  constructor(route) {
    [, this.group] = route.path;
    this.title = this.group;
    this.state = el("p", { class: "found" });
    this.spark = new Sparkline(`lag of group ${this.group}`, count);
    this.span = el("p", { class: "span" });
    this.offsets = table("Committed offsets", OFFSETS);
    this.members = table("Members", MEMBERS);
    this.problem = el("p", { class: "empty", hidden: true });
    this.noMembers = el("p", { class: "empty", text: "No members." });
    this.node = el(
      "div",
      { class: "view" },
      el("nav", { "aria-label": "Way back", class: "back" }, el("a", { href: "#/groups", text: "All groups" })),
      el("h1", { text: this.group }),
      this.problem,
      this.state,
      section("Lag over time", el("div", { class: "large" }, this.spark.node), this.span),
      section("Committed offsets", this.offsets.node),
      section("Members", this.members.node, this.noMembers),
    );
  }

  urls() {
    return [`/api/groups/${encodeURIComponent(this.group)}`];
  }

  update(cluster, [group]) {
    setAttribute(this.problem, "hidden", true);
    const { text } = trendOf(seen(`group ${this.group}`));
    setText(this.state, `${group.state}, generation ${count(group.generation)}, lag ${count(group.lag)}, ${text}`);
    this.spark.update(seen(`group ${this.group}`));
    setText(this.span, this.spark.words(seen(`group ${this.group}`)));
    const readers = readersOf(group.members);
    const rows = group.offsets.slice(0, ROWS_MAX).map((each) => ({ ...each, reader: readers.get(`${each.topic}-${each.partition}`) }));
    follow(this.offsets.body, rows, (each) => `${each.topic}-${each.partition}`, makeOffset, updateOffset);
    follow(this.members.body, group.members.slice(0, ROWS_MAX), (each) => each.id, () => tableRow(MEMBERS), updateMember);
    setAttribute(this.members.node, "hidden", group.members.length === 0);
    setAttribute(this.noMembers, "hidden", group.members.length > 0);
  }

  fail(error) {
    setText(this.problem, `${error.message} ${error.whatToDo ?? ""}`.trim());
    setAttribute(this.problem, "hidden", false);
  }
}

/** Whether lag grows, by the first and last sample of the last half minute. */
export function trendOf(samples) {
  const last = samples[samples.length - 1];
  const first = samples.find((sample) => last.at - sample.at <= TREND_MS);
  if (last === undefined || first === last) return { text: "not enough data yet", tone: "" };
  const change = last.value - first.value;
  if (change > 0) return { text: `grew by ${count(change)}`, tone: "warning" };
  return { text: change < 0 ? `fell by ${count(-change)}` : "the same", tone: change < 0 ? "good" : "" };
}

function makeGroup(group) {
  const row = tableRow(GROUPS);
  row.spark = new Sparkline(`lag of group ${group.group}`);
  row.cells.group.append(el("a", { href: `#/groups/${encodeURIComponent(group.group)}`, text: group.group }));
  row.cells.spark.append(row.spark.node);
  return row;
}

function updateGroup({ cells, spark }, group) {
  const samples = seen(`group ${group.group}`);
  follow(cells.state, [group.state], (state) => state, (state) => badge(state, /stable/i.test(state) ? "good" : ""), () => {});
  setText(cells.members, count(group.members));
  setText(cells.lag, count(group.lag));
  follow(cells.trend, [trendOf(samples)], (trend) => trend.text, (trend) => badge(trend.text, trend.tone), () => {});
  spark.update(samples);
}

/** The member that reads each partition; partitions are names or {topic, partition}. */
function readersOf(members) {
  const readers = new Map();
  for (const member of members) for (const each of namesOf(member)) readers.set(each, member.client_id || member.id);
  return readers;
}

function namesOf(member) {
  return (member.partitions ?? []).map((each) => (typeof each === "string" ? each : `${each.topic}-${each.partition}`));
}

function makeOffset(offset) {
  const row = tableRow(OFFSETS);
  const name = `${offset.topic}-${offset.partition}`;
  row.cells.partition.append(el("a", { href: `#/partitions/${encodeURIComponent(offset.topic)}/${offset.partition}`, text: name }));
  return row;
}

function updateOffset({ cells }, offset) {
  setText(cells.committed, count(offset.committed));
  setText(cells.end, count(offset.end));
  setText(cells.lag, count(offset.lag));
  setText(cells.reader, offset.reader ?? "no member");
  setText(cells.why, offset.why ?? "");
}

function updateMember({ cells }, member) {
  setText(cells.id, member.id);
  setText(cells.client, member.client_id ?? "–");
  setText(cells.host, member.host ?? "–");
  setText(cells.partitions, namesOf(member).join(", ") || "none");
}
