/** A point in time as a person reads it, in the time zone of this machine: `2026-03-01 09:30:15`. */
export function dateTime(at: number): string {
  return isDate(at) ? `${dayOf(new Date(at))} ${clockTime(at)}` : String(at);
}

export function clockTime(at: number): string {
  if (!isDate(at)) return String(at);
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** A span of time in the unit a person would use. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return ms < 172_800_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.floor(ms / 86_400_000)} days`;
}

/** Times come from whoever made the events; not every number is a date. */
function isDate(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}

function dayOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
