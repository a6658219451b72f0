// The overview of the cluster: figures, brokers, topics, groups.

import { badge, el, follow, setAttribute, setText, table, tableRow } from "./dom.js";
import { brief, bytes, count, counted, duration } from "./format.js";
import { note, seen } from "./history.js";
import { Sparkline } from "./sparkline.js";

const TOPICS_SHOWN = 20;
const LOOP_DELAY_MS_BAD = 1000;

const FIGURES = [
  { name: "messages", label: "Messages in", unit: "per second", of: (sum) => brief(sum.messages_in), line: "messages_in" },
  { name: "in", label: "Bytes in", unit: "per second", of: (sum) => bytes(sum.bytes_in), line: "bytes_in" },
  { name: "out", label: "Bytes out", unit: "per second", of: (sum) => bytes(sum.bytes_out), line: "bytes_out" },
  { name: "lag", label: "Not committed", unit: "records", of: (_, totals) => brief(totals.lag), line: "lag" },
];

const BROKERS = [
  { name: "node", label: "Broker" },
  { name: "state", label: "State" },
  { name: "address", label: "Address", class: "code" },
  { name: "leads", label: "Leads", class: "number" },
  { name: "replicas", label: "Replicas", class: "number" },
  { name: "requests", label: "Requests/s", class: "number" },
  { name: "in", label: "In/s", class: "number" },
  { name: "out", label: "Out/s", class: "number" },
  { name: "spark", label: "Messages in", class: "drawn" },
  { name: "memory", label: "Memory", class: "number" },
  { name: "delay", label: "Loop delay", class: "number", title: "the longest in the last minute" },
  { name: "up", label: "Up for", class: "number spare" },
];

const TOPICS = [
  { name: "topic", label: "Topic" },
  { name: "partitions", label: "Partitions", class: "number" },
  { name: "replication", label: "Replicas", class: "number" },
  { name: "in", label: "In/s", class: "number" },
  { name: "lag", label: "Not committed", class: "number" },
  { name: "state", label: "State" },
];

const GROUPS = [
  { name: "group", label: "Group" },
  { name: "state", label: "State" },
  { name: "members", label: "Members", class: "number" },
  { name: "lag", label: "Lag", class: "number" },
  { name: "spark", label: "Lag over time", class: "drawn" },
];

export class ClusterView {
  title = "Cluster";

  constructor() {
    this.figures = el("dl", { class: "figures" });
    this.brokers = table("Brokers", BROKERS, "brokers");
    this.topics = table("Topics", TOPICS);
    this.groups = table("Consumer groups", GROUPS);
    this.moreTopics = el("p", { class: "more" }, el("a", { href: "#/partitions", text: "All partitions" }));
    this.noTopics = el("p", { class: "empty", text: "No topics yet. Create one with: chronik topic create NAME" });
    this.noGroups = el("p", { class: "empty", text: "No consumer groups yet." });
    this.node = el(
      "div",
      { class: "view" },
      el("h1", { class: "unseen", text: "Cluster" }),
      this.figures,
      section("Brokers", this.brokers.node),
      el(
        "div",
        { class: "beside" },
        section("Topics", this.topics.node, this.noTopics, this.moreTopics),
        section("Groups", this.groups.node, this.noGroups),
      ),
    );
  }

  urls() {
    return [];
  }

  update(cluster) {
    const sum = sums(cluster.brokers);
    note("sum messages_in", cluster.now_ms, sum.messages_in);
    note("sum bytes_in", cluster.now_ms, sum.bytes_in);
    note("sum bytes_out", cluster.now_ms, sum.bytes_out);
    note("sum lag", cluster.now_ms, cluster.totals.lag);
    follow(this.figures, FIGURES, (each) => each.name, makeFigure, (row, each) => {
      setText(row.value, each.of(sum, cluster.totals));
      row.spark.update(seen(`sum ${each.line}`));
    });
    follow(this.brokers.body, cluster.brokers, (each) => each.node_id, makeBroker, (row, each) => updateBroker(row, each, cluster));
    this.updateTopics(cluster.topics);
    follow(this.groups.body, cluster.groups, (each) => each.group, makeGroup, updateGroup);
    setAttribute(this.groups.node, "hidden", cluster.groups.length === 0);
    setAttribute(this.noGroups, "hidden", cluster.groups.length > 0);
  }

  updateTopics(topics) {
    const worst = [...topics].sort((a, b) => b.offline - a.offline || b.leader_silent - a.leader_silent || b.standing - a.standing || b.under_replicated - a.under_replicated || b.lag - a.lag);
    follow(this.topics.body, worst.slice(0, TOPICS_SHOWN), (each) => each.topic, makeTopic, updateTopic);
    setAttribute(this.topics.node, "hidden", topics.length === 0);
    setAttribute(this.noTopics, "hidden", topics.length > 0);
    setAttribute(this.moreTopics, "hidden", topics.length === 0);
  }
}

export function section(title, ...children) {
  const id = `section-${title.toLowerCase().replaceAll(/\W+/g, "-")}`;
  return el("section", { class: "panel", "aria-labelledby": id }, el("h2", { id, text: title }), ...children);
}

function sums(brokers) {
  const sum = { requests: 0, bytes_in: 0, bytes_out: 0, messages_in: 0 };
  for (const { rates } of brokers) for (const name of Object.keys(sum)) sum[name] += rates?.[name] ?? 0;
  return sum;
}

function makeFigure(figure) {
  const spark = new Sparkline(figure.label);
  const value = el("span", { class: "figure-value" });
  const unit = el("span", { class: "figure-unit", text: figure.unit });
  return { node: el("div", {}, el("dt", { text: figure.label }), el("dd", {}, value, unit, spark.node)), value, spark };
}

function makeBroker(broker) {
  const row = tableRow(BROKERS);
  row.spark = new Sparkline(`messages in per second, broker ${broker.node_id}`);
  row.cells.spark.append(row.spark.node);
  row.name = el("span", { class: "node", text: String(broker.node_id) });
  row.roles = el("span", { class: "roles" });
  row.cells.node.append(el("div", { class: "who" }, row.name, row.roles));
  return row;
}

function updateBroker(row, broker, cluster) {
  const { cells } = row;
  const isHere = broker.node_id === cluster.asked;
  const roles = [broker.node_id === cluster.controller && "controller", isHere && "this page"].filter(Boolean);
  follow(row.roles, roles, (role) => role, (role) => badge(role), () => {});
  setAttribute(row.node, "data-state", broker.up ? null : "silent");
  follow(cells.state, [stateOf(broker)], (state) => state.text, (state) => badge(state.text, state.tone), () => {});
  setText(cells.address, broker.kafka ?? "–");
  setText(cells.leads, count(broker.leads));
  setText(cells.replicas, count(broker.replicas));
  setText(cells.requests, brief(broker.rates?.requests));
  setText(cells.in, bytes(broker.rates?.bytes_in));
  setText(cells.out, bytes(broker.rates?.bytes_out));
  setText(cells.memory, bytes(broker.memory_bytes));
  const delay = broker.loop_delay?.longest_minute_ms;
  setText(cells.delay, duration(delay));
  setAttribute(cells.delay, "data-tone", delay >= LOOP_DELAY_MS_BAD ? "warning" : null);
  setText(cells.up, broker.started_ms ? duration(Math.max(cluster.now_ms - broker.started_ms, 0)) : "–");
  note(`broker ${broker.node_id}`, cluster.now_ms, broker.up ? broker.rates?.messages_in : null);
  row.spark.update(seen(`broker ${broker.node_id}`));
}

/** silent: the broker does not answer; gone: it is not registered; unseen: it has no HTTP server to ask. */
function stateOf(broker) {
  if (broker.up) return { text: broker.state ?? "serving", tone: broker.state === "unseen" ? "" : "good" };
  const since = broker.silent_for_ms ? ` for ${duration(broker.silent_for_ms)}` : "";
  return { text: `${broker.state ?? "gone"}${since}`, tone: "critical" };
}

function makeTopic(topic) {
  const row = tableRow(TOPICS);
  row.cells.topic.append(el("a", { href: `#/partitions?topic=${encodeURIComponent(topic.topic)}`, text: topic.topic }));
  return row;
}

function updateTopic({ cells }, topic) {
  setText(cells.partitions, count(topic.partitions));
  setText(cells.replication, count(topic.replication));
  setText(cells.in, bytes(topic.bytes_in));
  setText(cells.lag, count(topic.lag));
  follow(cells.state, topicStates(topic), (state) => state.text, (state) => badge(state.text, state.tone), () => {});
}

function topicStates(topic) {
  const states = [];
  if (topic.offline > 0) states.push({ text: `${count(topic.offline)} offline`, tone: "critical" });
  if (topic.standing > 0) states.push({ text: `${counted(topic.standing, "watermark")} stalled`, tone: "critical" });
  if (topic.leader_silent > 0) states.push({ text: `${counted(topic.leader_silent, "leader")} silent`, tone: "critical" });
  if (topic.under_replicated > 0) states.push({ text: `${count(topic.under_replicated)} under-replicated`, tone: "warning" });
  return states.length > 0 ? states : [{ text: "in sync", tone: "good" }];
}

function makeGroup(group) {
  const row = tableRow(GROUPS);
  row.spark = new Sparkline(`lag of group ${group.group}`);
  row.cells.group.append(el("a", { href: `#/groups/${encodeURIComponent(group.group)}`, text: group.group }));
  row.cells.spark.append(row.spark.node);
  return row;
}

function updateGroup({ cells, spark }, group) {
  setText(cells.state, group.state);
  setText(cells.members, count(group.members));
  setText(cells.lag, count(group.lag));
  spark.update(seen(`group ${group.group}`));
}
