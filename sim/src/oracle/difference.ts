/** Pairs that were the same when they were compared. Nothing of a session is ever changed, so they still are. */
const same = new WeakMap<object, object>();

/** Where two values first differ, both as JSON would have them; null if nowhere. */
export function firstDifference(kept: unknown, other: unknown, at = 'session'): string | null {
  if (kept === other) return null;
  const areObjects = typeof kept === 'object' && kept !== null && typeof other === 'object' && other !== null;
  if (!areObjects) return `${at} is ${JSON.stringify(other)}, not ${JSON.stringify(kept)}`;
  if (same.get(kept) === other) return null;
  if (Array.isArray(kept) !== Array.isArray(other)) return `${at} is of another kind`;
  const left = kept as Readonly<Record<string, unknown>>;
  const right = other as Readonly<Record<string, unknown>>;
  for (const key in left) {
    const difference = firstDifference(left[key], right[key], key);
    if (difference !== null) return `${at}.${difference}`;
  }
  for (const key in right) {
    if (right[key] !== undefined && left[key] === undefined) return `${at}.${key} is there and should not be`;
  }
  same.set(kept, other);
  return null;
}
