const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false } as const;
const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
// Made once: a formatter costs a hundred times what it costs to use it, and a list has many rows.
const clockFormat = new Intl.DateTimeFormat([], clock);
const dayFormat = new Intl.DateTimeFormat([], { ...clock, ...day });

/** 14:03:07, in the reader's own time. */
export function clockTime(at: number): string {
  return isTime(at) ? clockFormat.format(at) : '–';
}

/** The day too. */
export function dayTime(at: number): string {
  return isTime(at) ? dayFormat.format(at) : '–';
}

/** 340 ms, 2.4 s, 3 min 05 s, 2 h 10 min. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${two(minutes % 60)} min` : `${Math.floor(hours / 24)} days`;
}

/** How long ago: now, 5 s, 3 min, 2 h, 4 d. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** 950, 12.3k, 4.5M. */
export function amount(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 1_000) return String(Math.round(value));
  if (size < 999_950) return `${short(value / 1_000)}k`;
  return size < 999_950_000 ? `${short(value / 1_000_000)}M` : `${short(value / 1_000_000_000)}G`;
}

export function money(value: number): string {
  return value === 0 ? '0' : value < 0.01 ? '<0.01' : value.toFixed(2);
}

/** 1 event, 2 events. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

function short(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(1).replace(/\.0$/u, '') : value.toFixed(0);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function isTime(at: number): boolean {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15;
}
