/** Pairs that were the same when they were compared. Nothing of a session is ever changed, so they still are. */
const same = new WeakMap<object, object>();

/** Where two values first differ, both as JSON would have them; null if nowhere. */
export function firstDifference(kept: unknown, other: unknown, at = 'session'): string | null {
  if (kept === other) return null;
  if (!isObject(kept) || !isObject(other))
    return `${at} is ${JSON.stringify(other)}, not ${JSON.stringify(kept)}`;
  if (same.get(kept) === other) return null;
  if (Array.isArray(kept) !== Array.isArray(other)) return `${at} is of another kind`;
  const difference =
    Array.isArray(kept) && Array.isArray(other)
      ? differenceAmong(kept, other)
      : differenceInside(kept, other);
  if (difference !== null) return `${at}.${difference}`;
  same.set(kept, other);
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function differenceAmong(kept: readonly unknown[], other: readonly unknown[]): string | null {
  for (let index = 0; index < kept.length; index += 1) {
    const difference = firstDifference(kept[index], other[index], String(index));
    if (difference !== null) return difference;
  }
  return kept.length < other.length ? `${kept.length} is there and should not be` : null;
}

function differenceInside(kept: Fields, other: Fields): string | null {
  for (const key in kept) {
    const difference = firstDifference(kept[key], other[key], key);
    if (difference !== null) return difference;
  }
  for (const key in other) {
    if (other[key] !== undefined && kept[key] === undefined) return `${key} is there and should not be`;
  }
  return null;
}
