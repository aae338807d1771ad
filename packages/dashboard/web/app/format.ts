const clockOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false } as const;
const dayOptions = { year: 'numeric', month: 'short', day: 'numeric' } as const;
// Created once, because creating a formatter is about a hundred times slower than using it.
const clockFormat = new Intl.DateTimeFormat([], clockOptions);
const dayFormat = new Intl.DateTimeFormat([], { ...clockOptions, ...dayOptions });

/** Formats a time as 14:03:07 in the user's time zone. */
export function formatLocalClock(at: number): string {
  return isValidTime(at) ? clockFormat.format(at) : '–';
}

/** Formats a time with its date. */
export function formatDayTime(at: number): string {
  return isValidTime(at) ? dayFormat.format(at) : '–';
}

/** Formats a duration as 340 ms, 2.4 s, 3 min 05 s or 2 h 10 min. */
export function formatElapsedTime(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${padTwoDigits(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${padTwoDigits(minutes % 60)} min` : `${Math.floor(hours / 24)} days`;
}

/** Formats an age as now, 5 s, 3 min, 2 h or 4 d. */
export function formatTimeAgo(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Formats a number as 950, 12.3k or 4.5M. */
export function formatAmount(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 1_000) return String(Math.round(value));
  if (size < 999_950) return `${formatShortNumber(value / 1_000)}k`;
  return size < 999_950_000
    ? `${formatShortNumber(value / 1_000_000)}M`
    : `${formatShortNumber(value / 1_000_000_000)}G`;
}

export function formatCost(value: number): string {
  return value === 0 ? '0' : value < 0.01 ? '<0.01' : value.toFixed(2);
}

/** Formats a count with its noun: 1 event, 2 events. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

function formatShortNumber(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(1).replace(/\.0$/u, '') : value.toFixed(0);
}

function padTwoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function isValidTime(at: number): boolean {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15;
}

/** Maps a share to its display severity. */
export function getShareSeverity(share: number): 'calm' | 'near' | 'full' {
  if (share >= 0.9) return 'full';
  return share >= 0.6 ? 'near' : 'calm';
}

/** Formats a share as a whole percentage. */
export function formatMeterPercent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(Math.max(share, 0) * 100)} %` : '0 %';
}
