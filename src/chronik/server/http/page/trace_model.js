// The events of a trace as spans and marks: a request is a span from its first event to its last, others are marks.

import { GAP } from "./trace_reading.js";

const FETCH_ENDS = new Set(["fetch_answered", "fetch_abandoned"]);
const PRODUCE_ENDS = new Set(["produce_acknowledged", "produce_abandoned"]);
const MARKS = new Set(["watermark_advanced", "watermark_held", "isr_changed", "leader_changed", "truncated", "group_changed"]);

const WHO = new Set(["replica", "leader", "leader_before", "by"]);
const NOBODY = -1;

/** How far a span is known: to its end, to now, as far as events were read, or until events were lost. */
const ENDED = "ended";
const UNDER_WAY = "under way";
const UNREAD = "unread";
const LOST = "lost";

/**
 * The partitions of the events, by name, each with its spans and marks in the order of time.
 *
 * `brokers` has for each broker the time up to which it was read (`to`), and whether all its events were read (`isAll`):
 * only then is it known that a request is still in progress.
 */
export function strips(events, brokers) {
  const found = new Map();
  const open = new Map();
  for (const event of events) {
    if (event.event === GAP) lose(open, event);
    if (event.topic === null || event.topic === undefined) continue;
    const name = `${event.topic}-${event.partition}`;
    if (!found.has(name)) found.set(name, { name, fetches: [], produces: [], marks: [] });
    take(found.get(name), open, event);
  }
  for (const span of open.values()) {
    const broker = brokers.get(span.first.node);
    span.to = Math.max(span.to, broker.to);
    span.state = broker.isAll ? UNDER_WAY : UNREAD;
  }
  return found;
}

function lose(open, gap) {
  for (const [key, span] of open) {
    if (span.first.node !== gap.node) continue;
    span.state = LOST;
    open.delete(key);
  }
}

function take(strip, open, event) {
  if (MARKS.has(event.event)) {
    strip.marks.push({ at: event.at_us, kind: event.event, event });
    return;
  }
  const key = `${event.node} ${strip.name} ${event.client_id} ${event.correlation_id}`;
  if (event.event === "fetch_started" || event.event === "produce_received") {
    const span = { from: event.at_us, to: event.at_us, state: LOST, first: event, parkedAt: null, outcome: null };
    open.set(key, span);
    (event.event === "fetch_started" ? strip.fetches : strip.produces).push(span);
    return;
  }
  const span = open.get(key);
  if (span === undefined) {
    // The request started before the window, or was rejected before it started.
    if (event.event === "request_refused") strip.marks.push({ at: event.at_us, kind: event.event, event });
    return;
  }
  span.to = event.at_us;
  if (event.event === "fetch_parked") span.parkedAt ??= event.at_us;
  if (FETCH_ENDS.has(event.event) || PRODUCE_ENDS.has(event.event) || event.event === "request_refused") {
    span.state = ENDED;
    span.outcome = event;
    open.delete(key);
  }
}

/** Assign each span to a row without overlaps; spans that find no free row share the last one. */
export function inRows(spans, rowsMax) {
  const ends = [];
  return spans.map((span) => {
    let row = ends.findIndex((end) => end <= span.from);
    if (row < 0) row = Math.min(ends.length, rowsMax - 1);
    ends[row] = span.to;
    return { span, row };
  });
}

/** The fields of an event as text, without the fields that have columns of their own. */
export function detailsOf(event) {
  const elsewhere = new Set(["node", "seq", "at_ms", "at_us", "steady_us", "event", "topic", "partition", "client_id", "correlation_id"]);
  return Object.entries(event)
    .filter(([name, value]) => !elsewhere.has(name) && value !== null && !(value === NOBODY && WHO.has(name)))
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${Array.isArray(value) ? value.join(",") || "none" : value}`)
    .join(", ");
}

const OPEN_WORDS = { [UNDER_WAY]: "still in progress", [UNREAD]: "not read further yet", [LOST]: "end unknown: events are missing" };

/** A span in one sentence. */
export function spanWords(span) {
  const { first, outcome } = span;
  const who = first.replica >= 0 ? `follower ${first.replica}` : (first.client_id ?? "a client");
  const what = first.event === "fetch_started" ? `fetch of ${who} at offset ${first.offset}` : `produce of ${who}, ${first.size_bytes} bytes`;
  if (span.state !== ENDED) return `${what}: ${OPEN_WORDS[span.state]}`;
  const took = `${((span.to - span.from) / 1000).toFixed(2)} ms`;
  if (outcome.event === "request_refused") return `${what}: refused with ${outcome.error} after ${took}`;
  if (outcome.event === "fetch_abandoned" || outcome.event === "produce_abandoned") return `${what}: abandoned after ${took}`;
  if (outcome.event === "fetch_answered") return `${what}: ${outcome.size_bytes} bytes after ${took}${span.parkedAt === null ? "" : ", parked meanwhile"}`;
  return `${what}: acknowledged at offset ${outcome.first_offset} after ${took}`;
}
