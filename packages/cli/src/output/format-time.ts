/** Formats a time in the local time zone: `2026-03-01 09:30:15`. */
export function formatDateTime(at: number): string {
  return isValidDate(at) ? `${formatDate(new Date(at))} ${formatClockTime(at)}` : String(at);
}

export function formatClockTime(at: number): string {
  if (!isValidDate(at)) return String(at);
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwoDigits).join(':');
}

/** Formats a duration in a readable unit. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return ms < 172_800_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.floor(ms / 86_400_000)} days`;
}

/** Event times come from the producer of the event, so not every number is a valid date. */
function isValidDate(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}

function formatDate(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(padTwoDigits).join('-');
}

function padTwoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
