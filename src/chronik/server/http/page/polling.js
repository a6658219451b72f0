// Polling the broker once a second, less often while it does not answer.

const PERIOD_MS = 1000;
const HIDDEN_MS = 10000;
const BACKOFF_MS_MAX = 15000;
const TIMEOUT_MS = 5000;
/** A poll right after a slow response would leave the browser no time for its user. */
const GAP_MS_MIN = 250;

/** An error response of the broker. */
export class RefusedError extends Error {
  constructor(status, body) {
    super(body?.error ?? `the broker answered with status ${status}`);
    this.status = status;
    this.whatToDo = body?.what_to_do ?? "";
  }
}

/** Get a JSON document. */
export async function getJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new RefusedError(response.status, body);
  if (body === null) throw new RefusedError(response.status, { error: `${url} did not answer with JSON` });
  return body;
}

/** Calls `look` again and again, and `onState` with {isLost, since, nextAt, error} after each call. */
export class Polling {
  constructor(look, onState) {
    this.look = look;
    this.onState = onState;
    this.failures = 0;
    this.lostSince = null;
    this.lastGoodAt = null;
    this.timer = null;
    this.isLooking = false;
    this.isAskedAgain = false;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.now();
    });
    window.addEventListener("online", () => this.now());
  }

  /** Poll now, or right after the running poll. */
  now() {
    if (this.isLooking) this.isAskedAgain = true;
    else this.turn();
  }

  async turn() {
    clearTimeout(this.timer);
    this.isLooking = true;
    this.isAskedAgain = false;
    const began = Date.now();
    try {
      await this.look();
      this.failures = 0;
      this.lostSince = null;
      this.lastGoodAt = Date.now();
    } catch (error) {
      this.failures += 1;
      this.lostSince ??= began;
      this.error = error;
    }
    this.isLooking = false;
    const wait = this.isAskedAgain ? 0 : this.waitMs(Date.now() - began);
    this.nextAt = Date.now() + wait;
    this.timer = setTimeout(() => this.turn(), wait);
    this.onState(this);
  }

  get isLost() {
    return this.failures > 0;
  }

  waitMs(elapsed) {
    if (this.isLost) return Math.min(PERIOD_MS * 2 ** (this.failures - 1), BACKOFF_MS_MAX);
    const period = document.hidden ? HIDDEN_MS : PERIOD_MS;
    return Math.max(period - elapsed, GAP_MS_MIN);
  }
}
