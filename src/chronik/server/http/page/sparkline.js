// A number over time as a small line, with a description for screen readers.

import { setAttribute, svg } from "./dom.js";
import { brief, duration } from "./format.js";

const WIDTH = 120;
const HEIGHT = 28;
const PAD = 2;

/** A line through the samples that the page has collected. */
export class Sparkline {
  constructor(what, format = brief) {
    this.what = what;
    this.format = format;
    this.area = svg("path", { class: "spark-area" });
    this.line = svg("path", { class: "spark-line" });
    this.node = svg(
      "svg",
      { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": what },
      this.area,
      this.line,
    );
  }

  update(samples) {
    setAttribute(this.node, "aria-label", this.words(samples));
    const drawn = samples.length > 1 ? path(samples) : "";
    setAttribute(this.line, "d", drawn);
    setAttribute(this.area, "d", drawn && `${drawn}V${HEIGHT}H${PAD}Z`);
  }

  words(samples) {
    if (samples.length < 2) return `${this.what}: not enough data yet`;
    const values = samples.map((sample) => sample.value);
    const span = duration(samples[samples.length - 1].at - samples[0].at);
    const low = this.format(Math.min(...values));
    const high = this.format(Math.max(...values));
    return `${this.what} over ${span}: between ${low} and ${high}, now ${this.format(values[values.length - 1])}`;
  }
}

function path(samples) {
  const first = samples[0].at;
  const span = samples[samples.length - 1].at - first || 1;
  const top = Math.max(...samples.map((sample) => sample.value), 1);
  return samples
    .map(({ at, value }, index) => {
      const x = PAD + ((at - first) / span) * (WIDTH - 2 * PAD);
      const y = HEIGHT - PAD - (value / top) * (HEIGHT - 2 * PAD);
      return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
