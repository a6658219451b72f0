// Reading the traces of the brokers: how far each was read, and how many events were missed.

import { RefusedError } from "./polling.js";

/** An event of the page itself: events are missing here, so no request can be followed across it. */
export const GAP = "events_missed";
const KEPT_MAX = 30000;
/** The most events that a broker returns at once: a leader may emit thousands of them between two polls. */
const ASKED_MAX = 5000;
const PAGES_MAX = 2;
/** How many events are read first, and after falling behind, so that the newest events are shown soon. */
const NEWEST = 1000;

export class Reading {
  constructor() {
    this.events = [];
    this.brokers = new Map();
    this.missed = 0;
    this.isTrimmed = false;
  }

  /** The time since which all events that were read are kept. */
  get since() {
    return this.isTrimmed ? this.events[0].at_us : -Infinity;
  }

  /** The number of kept events, without gaps. */
  get count() {
    return this.events.filter((event) => event.event !== GAP).length;
  }

  /** Read the next events of these brokers; of other brokers, and of silent ones, the newest events are unknown. */
  async look(get, nodes, query) {
    for (const [node, broker] of this.brokers) if (!nodes.includes(node)) broker.isAll = false;
    await Promise.all(nodes.map((node) => this.read(get, node, query)));
    this.events.sort((a, b) => a.at_us - b.at_us);
    const over = this.events.length - KEPT_MAX;
    if (over > 0) {
      this.events.splice(0, over);
      this.isTrimmed = true;
    }
  }

  async read(get, node, query) {
    try {
      let from = await this.begin(get, node);
      for (let asked = 0; asked < PAGES_MAX; asked += 1) {
        const page = await get(address(node, query, from));
        this.take(page, from);
        const behind = page.end - page.next;
        if (behind <= 0) return;
        from = behind > ASKED_MAX ? page.end - NEWEST : page.next;
      }
    } catch (error) {
      const broker = this.brokers.get(node);
      if (broker !== undefined) Object.assign(broker, { isAll: false, hasFailed: true });
      // A broker that is gone is ignored, the others are shown. An error in the query is shown.
      if (!(error instanceof RefusedError && error.status >= 500)) throw error;
    }
  }

  /** Where to continue. The ring may hold far more events than can be shown: then continue near its end. */
  async begin(get, node) {
    const broker = this.brokers.get(node);
    if (broker !== undefined && !broker.hasFailed) return broker.next;
    const { end } = await get(`/api/traces?node=${node}&limit=0`);
    return Math.max(end - NEWEST, broker?.next ?? 0);
  }

  take(page, from) {
    const broker = this.brokers.get(page.node_id);
    // Events that were dropped before the first poll do not count as missed.
    if (broker !== undefined) {
      if (page.started_ms !== broker.startedMs) this.miss(broker, page, "the broker was restarted", null);
      else if (from > broker.next) this.miss(broker, page, "skipped to keep up", from - broker.next);
      if (page.dropped > 0) this.miss(broker, page, "dropped before they were read", page.dropped);
    }
    this.events.push(...page.events);
    const isAll = page.next >= page.end;
    const to = isAll ? page.now_us : (page.events[page.events.length - 1]?.at_us ?? broker?.to ?? page.now_us);
    this.brokers.set(page.node_id, { next: page.next, startedMs: page.started_ms, to, isAll, hasFailed: false });
  }

  miss(broker, page, why, missed) {
    this.missed += missed ?? 0;
    this.events.push({ node: page.node_id, seq: broker.next, at_us: broker.to, event: GAP, missed, why });
  }
}

function address(node, query, from) {
  const asked = new URLSearchParams(query);
  asked.set("node", String(node));
  if (from > 0) asked.set("after", String(from - 1));
  asked.set("limit", String(ASKED_MAX));
  return `/api/traces?${asked}`;
}
