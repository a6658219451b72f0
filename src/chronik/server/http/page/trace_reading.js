// What has been read of the brokers' traces: how far of each, and what was missed on the way.

import { RefusedError } from "./polling.js";

/** An event of the page's own: here some are missing, and no request can be followed over it. */
export const GAP = "events_missed";
const KEPT_MAX = 30000;
/** As much as a broker gives at once: a leader may tell thousands of events in the second between two looks. */
const ASKED_MAX = 5000;
const PAGES_MAX = 2;
/** A beginning, also a new one, is made with few events: whoever is late or just here wants the newest soon. */
const NEWEST = 1000;

export class Reading {
  constructor() {
    this.events = [];
    this.brokers = new Map();
    this.missed = 0;
    this.isTrimmed = false;
  }

  /** The time from which on everything that was read is kept. */
  get since() {
    return this.isTrimmed ? this.events[0].at_us : -Infinity;
  }

  /** How many events are kept, without the gaps between them. */
  get count() {
    return this.events.filter((event) => event.event !== GAP).length;
  }

  /** Read on at these brokers; of all others, and of those that do not answer, the newest is not known any more. */
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
      // A broker that has just gone says nothing; the others do. A question that is wrong is told.
      if (!(error instanceof RefusedError && error.status >= 500)) throw error;
    }
  }

  /** Where to read on. The ring may hold far more than is ever shown, or than can be told in time: then near its end. */
  async begin(get, node) {
    const broker = this.brokers.get(node);
    if (broker !== undefined && !broker.hasFailed) return broker.next;
    const { end } = await get(`/api/traces?node=${node}&limit=0`);
    return Math.max(end - NEWEST, broker?.next ?? 0);
  }

  take(page, from) {
    const broker = this.brokers.get(page.node_id);
    // What was gone before this page began to look is no loss of its own.
    if (broker !== undefined) {
      if (page.started_ms !== broker.startedMs) this.miss(broker, page, "the broker was started anew", null);
      else if (from > broker.next) this.miss(broker, page, "passed over to keep up", from - broker.next);
      if (page.dropped > 0) this.miss(broker, page, "gone before they were read", page.dropped);
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
