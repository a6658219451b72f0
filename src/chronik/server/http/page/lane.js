// A partition as a lane: what is committed, what is written beyond the watermark, and how far each replica is.
//
// The head of the lane is the largest log end. Everything is drawn at its distance from the head, so that a stalled
// watermark drifts away from it, and a growing log moves the lines of the scale.

import { el, follow, setAttribute, setText } from "./dom.js";
import { brief, count } from "./format.js";

const HEAD = 0.93;
const LINES = 5;
const WINDOW_MIN = 20;
const NEAR = 0.07;
const LOOKS_BEFORE_CLOSER = 5;
const GLIDE_MS = 900;

const mayMove = window.matchMedia("(prefers-reduced-motion: no-preference)");

export class Lane {
  constructor() {
    this.tape = el("div", { class: "lane-tape" });
    this.committed = el("div", { class: "lane-committed" });
    this.beyond = el("div", { class: "lane-beyond" });
    this.before = el("div", { class: "lane-before" });
    this.watermark = el("div", { class: "lane-watermark" });
    this.end = el("div", { class: "lane-end" });
    this.replicas = el("div", { class: "lane-replicas" });
    this.scale = el("div", { class: "lane-scale" });
    const track = el("div", { class: "lane-track" }, this.committed, this.beyond, this.before, this.tape, this.watermark, this.end);
    this.node = el("div", { class: "lane", role: "img", "aria-label": "not known yet" }, track, this.replicas, this.scale);
    this.window = 0;
    this.calm = 0;
    this.phase = 0;
  }

  update(partition) {
    setAttribute(this.node, "aria-label", words(partition));
    setAttribute(this.node, "data-state", partition.role === "offline" ? "offline" : null);
    const ends = replicaEnds(partition);
    const head = Math.max(partition.log_end ?? 0, ...ends.map((each) => each.end));
    const advance = this.head === undefined ? 0 : Math.max(head - this.head, 0);
    this.head = head;
    this.fit(partition, ends, advance);
    const at = (offset) => Math.max(HEAD * (1 - (head - offset) / this.window), 0);
    place(this.committed, at(partition.high_watermark ?? 0) - 1);
    place(this.beyond, at(partition.log_end ?? head));
    place(this.before, at(partition.log_start ?? 0) - 1);
    place(this.watermark, at(partition.high_watermark ?? 0));
    place(this.end, at(partition.log_end ?? head));
    this.run(advance);
    setAttribute(this.node, "data-behind", partition.lag > 0);
    setText(this.scale, `a line every ${brief(this.window / LINES)}`);
    follow(this.replicas, gathered(ends, at), (group) => group.key, makeGroup, updateGroup);
  }

  /** Choose how many offsets the lane shows: zoom out at once, zoom in only after some calm polls. */
  fit(partition, ends, advance) {
    const lowest = Math.min(partition.high_watermark ?? this.head, ...ends.map((each) => each.end));
    const wanted = round125(Math.max(WINDOW_MIN, 1.3 * (this.head - lowest), 4 * advance));
    this.calm = wanted < this.window ? this.calm + 1 : 0;
    if (wanted > this.window || this.calm >= LOOKS_BEFORE_CLOSER) {
      this.window = wanted;
      this.calm = 0;
    }
  }

  /** Move the lines of the scale as far as the log has grown. */
  run(advance) {
    const lines = Math.min((advance / this.window) * LINES, LINES / 2);
    const from = this.phase % 1;
    this.phase = from + lines;
    const frame = (phase) => ({ transform: `translateX(${(-phase * HEAD * 100) / LINES / 2}%)` });
    const duration = mayMove.matches && lines > 0 ? GLIDE_MS : 0;
    this.tape.animate([frame(from), frame(this.phase)], { duration, fill: "forwards" });
  }
}

function place(node, fraction) {
  const wanted = `translateX(${(fraction * 100).toFixed(2)}%)`;
  if (node.style.transform !== wanted) node.style.transform = wanted;
}

function round125(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= value * 0.999);
}

/** The log end of every replica: as it reports itself, or else as the leader knows it. */
export function replicaEnds(partition) {
  const followers = new Map((partition.followers ?? []).map((each) => [each.node, each]));
  const own = partition.replica_ends ?? {};
  return (partition.replicas ?? [])
    .map((node) => {
      const isLeader = node === partition.leader;
      const end = isLeader ? partition.log_end : (own[node] ?? followers.get(node)?.log_end);
      return { node, end, isLeader, isInSync: (partition.isr ?? []).includes(node), follower: followers.get(node) };
    })
    .filter((each) => each.end !== null && each.end !== undefined && each.end >= 0);
}

/** Replicas whose marks would overlap share a place. */
function gathered(ends, at) {
  const groups = [];
  for (const each of [...ends].sort((a, b) => b.end - a.end || b.isLeader - a.isLeader || a.node - b.node)) {
    const where = at(each.end);
    const last = groups[groups.length - 1];
    if (last && last.where - where < NEAR) last.members.push(each);
    else groups.push({ key: `${groups.length}`, where, members: [each] });
  }
  return groups;
}

function makeGroup() {
  const marks = el("div", { class: "lane-marks" });
  return { node: el("div", { class: "lane-place" }, marks), marks };
}

function updateGroup(row, group) {
  place(row.node, group.where);
  setAttribute(row.marks, "data-side", group.where < 0.2 ? "right" : "left");
  follow(row.marks, group.members, (each) => each.node, () => el("span"), (node, each) => {
    setText(node, each.isInSync ? `${each.node}` : `${each.node}!`);
    setAttribute(node, "class", `mark-replica ${each.isLeader ? "leads" : ""} ${each.isInSync ? "" : "behind"}`);
  });
}

/** The lane in words. */
function words(partition) {
  if (partition.role === "offline" || partition.leader < 0) return `offline: ${partition.why_offline ?? "it has no leader"}`;
  const replicas = replicaEnds(partition)
    .filter((each) => !each.isLeader)
    .map((each) => `follower ${each.node} at ${count(each.end)}${each.isInSync ? "" : ", not in sync"}`);
  return [
    `log start ${count(partition.log_start)}`,
    `high watermark ${count(partition.high_watermark)}`,
    `log end ${count(partition.log_end)} on leader ${partition.leader}`,
    ...replicas,
  ].join("; ");
}
