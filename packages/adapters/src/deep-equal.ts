/** Values nested deeper than this count as different, which only costs time. */
const comparedDepthMax = 24;

/**
 * Whether two values are deeply equal. Hosts copy messages between steps; copies share their strings, so this is fast.
 */
export function isDeepEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!isObjectValue(a) || !isObjectValue(b) || depth === comparedDepthMax) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(a[key], b[key], depth + 1))
  );
}

function isObjectValue(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
