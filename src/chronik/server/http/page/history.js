// The history of numbers since the page was opened: the broker keeps none.

const SAMPLES_MAX = 300;
const NAMES_MAX = 2000;

const series = new Map();

/** Record a value at a time of the broker's clock; a time is recorded once. */
export function note(name, at, value) {
  if (value === null || value === undefined) return;
  const samples = series.get(name) ?? [];
  if (samples.length > 0 && samples[samples.length - 1].at >= at) return;
  samples.push({ at, value });
  if (samples.length > SAMPLES_MAX) samples.shift();
  // A map keeps the order of insertion, so the name that was unused for longest is deleted first.
  series.delete(name);
  series.set(name, samples);
  if (series.size > NAMES_MAX) series.delete(series.keys().next().value);
}

/** The samples of a name, oldest first. */
export function seen(name) {
  return series.get(name) ?? [];
}
