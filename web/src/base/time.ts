/** Words for times. Everything takes microseconds; clock times are given in the viewer's time zone. */

export const MS = 1_000;
export const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * duration says how long in the words of the page: 0.02 ms, 3.1 ms, 42 ms, 1.3 s, 42 s, 4 min 24 s, 2 h 5 min.
 * Two figures that count under ten, whole ones above; negative and unknown durations are "–".
 */
export function duration(us: number): string {
  if (!Number.isFinite(us) || us < 0) return "–";
  if (us < 995_000) return `${figures(us / MS)} ms`;
  if (us < 59.5 * SECOND) return `${figures(us / SECOND)} s`;
  const seconds = Math.round(us / SECOND);
  if (us < HOUR - SECOND / 2) return two(seconds, 60, "min", "s");
  return two(Math.round(seconds / 60), 60, "h", "min");
}

/** count writes whole numbers with thousands apart: 1,204. */
export function count(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** rate writes reconciles a second: 0, 0.3, 12.4, 830. */
export function rate(perSecond: number): string {
  if (perSecond >= 99.95) return count(perSecond);
  return perSecond === 0 ? "0" : perSecond.toFixed(1);
}

/** clock is the time of day of µs since the epoch: 10:41:07. offsetMinutes is the zone's, east positive; 0 is UTC. */
export function clock(us: number, offsetMinutes: number): string {
  return iso(us, offsetMinutes).slice(11, 19);
}

/** dated is clock, behind its date where that is another day than now's: 2026-03-02 10:41:07. */
export function dated(us: number, offsetMinutes: number, now: number): string {
  const text = iso(us, offsetMinutes);
  const same = text.slice(0, 10) === iso(now, offsetMinutes).slice(0, 10);
  return text.slice(same ? 11 : 0, 19).replace("T", " ");
}

/** clockMs is like clock, with milliseconds: 10:41:07.312. */
export function clockMs(us: number, offsetMinutes: number): string {
  return iso(us, offsetMinutes).slice(11, 23);
}

function iso(us: number, offsetMinutes: number): string {
  return new Date(us / MS + offsetMinutes * 60_000).toISOString();
}

/** countdown is what stands in a ring: 40 ms below a second, else 1.3 s, 42 s, 4:24. Never below 0. */
export function countdown(us: number): string {
  const left = Math.max(0, us);
  if (left < MINUTE) return duration(left);
  const seconds = Math.ceil(left / SECOND);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
}

/** dueIn is the countdown of a delay: "due" when nothing of it is left, though what waited has not been taken yet. */
export function dueIn(us: number): string {
  return us > 0 ? countdown(us) : "due";
}

function figures(n: number): string {
  if (n >= 9.95) return Math.round(n).toString();
  if (n >= 0.095) return trim(n.toFixed(1));
  return trim(n.toFixed(2));
}

function trim(s: string): string {
  return s.includes(".") ? s.replace(/\.?0+$/, "") : s;
}

function two(n: number, base: number, big: string, small: string): string {
  const rest = n % base;
  const whole = `${String(Math.floor(n / base))} ${big}`;
  return rest === 0 ? whole : `${whole} ${String(rest)} ${small}`;
}
