// The faults of the cluster, worst first. A screen reader announces a change once, not with every poll.

import { badge, el, follow, setAttribute, setText } from "./dom.js";
import { count, counted } from "./format.js";

const SHOWN_MAX = 50;

export class Faults {
  constructor(announce) {
    this.announce = announce;
    this.known = null;
    this.title = el("h2", { id: "faults-title" });
    this.list = el("ul", { class: "faults", on: { scroll: () => this.countBelow() } });
    // Hidden from screen readers, which read the whole list anyway.
    this.below = el("p", { class: "below", "aria-hidden": "true", hidden: true });
    this.node = el("section", { class: "verdict", "aria-labelledby": "faults-title" }, this.title, this.list, this.below);
    new ResizeObserver(() => this.countBelow()).observe(this.list);
  }

  update(faults, cluster) {
    const sorted = [...faults].sort((a, b) => (a.severity === b.severity ? 0 : a.severity === "critical" ? -1 : 1));
    const worst = sorted[0]?.severity ?? "good";
    setAttribute(this.node, "data-worst", worst);
    setText(this.title, sorted.length === 0 ? wellWords(cluster) : `${counted(sorted.length, "fault")}`);
    const shown = sorted.slice(0, SHOWN_MAX);
    if (sorted.length > shown.length) shown.push(theRest(sorted.length - shown.length));
    follow(this.list, shown, nameOf, makeFault, (row, fault) => setText(row.rest, fault.text.slice(row.begins)));
    this.countBelow();
    this.announceChanges(sorted);
  }

  /** Show how many faults are below the visible part of the list. */
  countBelow() {
    const edge = this.list.getBoundingClientRect().bottom;
    const below = [...this.list.children].filter((row) => row.getBoundingClientRect().bottom > edge + 1).length;
    setText(this.below, `▼ ${count(below)} more below`);
    setAttribute(this.below, "hidden", below === 0);
    setAttribute(this.list, "tabindex", this.list.scrollHeight > this.list.clientHeight ? "0" : null);
  }

  announceChanges(faults) {
    const now = new Map(faults.map((fault) => [nameOf(fault), fault.text]));
    if (this.known !== null) {
      const came = [...now].filter(([name]) => !this.known.has(name)).map(([, text]) => text);
      const went = [...this.known.keys()].filter((name) => !now.has(name));
      const said = came.slice(0, 3).map((text) => `New fault: ${text}.`);
      if (came.length > 3) said.push(`And ${counted(came.length - 3, "more fault")}.`);
      if (went.length > 0) said.push(now.size === 0 ? "No faults left." : `${counted(went.length, "fault")} over.`);
      if (said.length > 0) this.announce(said.join(" "));
    }
    this.known = now;
  }
}

function wellWords(cluster) {
  const { totals, brokers } = cluster;
  const up = brokers.filter((broker) => broker.up).length;
  return `All is well: ${counted(up, "broker")}, ${counted(totals.partitions, "partition")}, every replica in sync`;
}

function nameOf(fault) {
  return `${fault.kind} ${fault.subject}`;
}

function theRest(number) {
  return { kind: "rest", subject: "", severity: "warning", text: `and ${counted(number, "more fault")}` };
}

function makeFault(fault) {
  const tone = fault.severity === "critical" ? "critical" : "warning";
  const link = linkOf(fault);
  const rest = el("span");
  const text = el("span", { class: "fault-text" }, link, rest);
  return { node: el("li", { "data-severity": tone }, badge(tone, tone), text), rest, begins: link?.textContent.length ?? 0 };
}

/** A link to the partition that a fault begins with. */
function linkOf(fault) {
  const name = `partition ${fault.subject}`;
  const cut = fault.subject.lastIndexOf("-");
  if (!fault.text.startsWith(`${name}:`) || cut < 0) return null;
  const topic = encodeURIComponent(fault.subject.slice(0, cut));
  return el("a", { href: `#/partitions/${topic}/${fault.subject.slice(cut + 1)}`, text: name });
}
