/** Pairs that compared equal. Sessions are immutable, so the result stays valid. */
const equalPairs = new WeakMap<object, object>();

/** Returns the first difference between two values in their JSON form, or null if there is none. */
export function findFirstDifference(kept: unknown, other: unknown, at = 'session'): string | null {
  if (kept === other) return null;
  if (!isObjectFields(kept) || !isObjectFields(other))
    return `${at} is ${JSON.stringify(other)}, not ${JSON.stringify(kept)}`;
  if (equalPairs.get(kept) === other) return null;
  if (Array.isArray(kept) !== Array.isArray(other)) return `${at} is of another kind`;
  const difference =
    Array.isArray(kept) && Array.isArray(other)
      ? findItemDifference(kept, other)
      : findFieldDifference(kept, other);
  if (difference !== null) return `${at}.${difference}`;
  equalPairs.set(kept, other);
  return null;
}

type ObjectFields = Readonly<Record<string, unknown>>;

function isObjectFields(value: unknown): value is ObjectFields {
  return typeof value === 'object' && value !== null;
}

function findItemDifference(kept: readonly unknown[], other: readonly unknown[]): string | null {
  for (let index = 0; index < kept.length; index += 1) {
    const difference = findFirstDifference(kept[index], other[index], String(index));
    if (difference !== null) return difference;
  }
  return kept.length < other.length ? `${kept.length} is there and should not be` : null;
}

function findFieldDifference(kept: ObjectFields, other: ObjectFields): string | null {
  for (const key in kept) {
    const difference = findFirstDifference(kept[key], other[key], key);
    if (difference !== null) return difference;
  }
  for (const key in other) {
    if (other[key] !== undefined && kept[key] === undefined) return `${key} is there and should not be`;
  }
  return null;
}
