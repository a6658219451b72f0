// What the page has seen of a number since it was opened: kept here, as the broker keeps no history for it.

const SAMPLES_MAX = 300;
const NAMES_MAX = 2000;

const series = new Map();

/** Note a value at a time of the broker's clock; a time that was noted before is not noted twice. */
export function note(name, at, value) {
  if (value === null || value === undefined) return;
  const samples = series.get(name) ?? [];
  if (samples.length > 0 && samples[samples.length - 1].at >= at) return;
  samples.push({ at, value });
  if (samples.length > SAMPLES_MAX) samples.shift();
  // The name that was used longest ago goes first: a map keeps the order in which names came.
  series.delete(name);
  series.set(name, samples);
  if (series.size > NAMES_MAX) series.delete(series.keys().next().value);
}

/** The samples of a name, oldest first. */
export function seen(name) {
  return series.get(name) ?? [];
}
