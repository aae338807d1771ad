/** Pairs that compared equal. Sessions are immutable, so the result stays valid. */
const equalPairs = new WeakMap<object, object>();

/** Returns the first difference between two values in their JSON form, or null if there is none. */
export function findFirstDifference(expected: unknown, actual: unknown, at = 'session'): string | null {
  if (expected === actual) return null;
  if (!isObjectFields(expected) || !isObjectFields(actual))
    return `${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  if (equalPairs.get(expected) === actual) return null;
  if (Array.isArray(expected) !== Array.isArray(actual)) return `${at} has another type`;
  const difference =
    Array.isArray(expected) && Array.isArray(actual)
      ? findItemDifference(expected, actual)
      : findFieldDifference(expected, actual);
  if (difference !== null) return `${at}.${difference}`;
  equalPairs.set(expected, actual);
  return null;
}

type ObjectFields = Readonly<Record<string, unknown>>;

function isObjectFields(value: unknown): value is ObjectFields {
  return typeof value === 'object' && value !== null;
}

function findItemDifference(expected: readonly unknown[], actual: readonly unknown[]): string | null {
  for (let index = 0; index < expected.length; index += 1) {
    const difference = findFirstDifference(expected[index], actual[index], String(index));
    if (difference !== null) return difference;
  }
  return expected.length < actual.length ? `${expected.length} is unexpected` : null;
}

function findFieldDifference(expected: ObjectFields, actual: ObjectFields): string | null {
  for (const key in expected) {
    const difference = findFirstDifference(expected[key], actual[key], key);
    if (difference !== null) return difference;
  }
  for (const key in actual) {
    if (actual[key] !== undefined && expected[key] === undefined) return `${key} is unexpected`;
  }
  return null;
}
