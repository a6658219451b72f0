// Numbers and times as text, in English.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** 1,742; a dash for an unknown number. */
export function count(value) {
  return value === null || value === undefined ? "–" : whole.format(value);
}

/** 1.7K: for places with little room. */
export function brief(value) {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) < 1000 ? whole.format(value) : short.format(value);
}

/** 12.4 MiB. */
export function bytes(value) {
  if (value === null || value === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let rest = value;
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${rest >= 100 || unit === 0 ? whole.format(rest) : rest.toFixed(1)} ${units[unit]}`;
}

/** 61 s, 2 min 5 s, 3 h 4 min, 2 d 7 h. */
export function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** 14:03:12, in the reader's zone. */
export function clock(ms) {
  return new Date(ms).toLocaleTimeString("en-GB");
}

/** 14:03:12.345 */
export function fineClock(ms) {
  return `${clock(ms)}.${String(Math.floor(ms) % 1000).padStart(3, "0")}`;
}

/** "1 broker", "2 brokers". */
export function counted(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}
