/** Deeper than people or models write; the limit protects recursive printers. */
const memoryJsonDepthMax = 100;

/** More values than fit into any context window; only a circular value reaches this. */
const jsonValuesMax = 10_000_000;

/** Returns why a value is not JSON that survives a round trip, or null. Iterates level by level to avoid recursion. */
export function describeJsonProblem(value: unknown): string | null {
  let level: readonly unknown[] = [value];
  let valueCount = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (isJsonLeaf(item)) continue;
      if (!isJsonContainer(item)) return `it holds ${describeNonJson(item)}, which JSON cannot`;
      if (depth === memoryJsonDepthMax) return `it is nested more than ${memoryJsonDepthMax} levels deep`;
      for (const part of Array.isArray(item) ? item : Object.values(item)) inner.push(part);
      if (valueCount + inner.length > jsonValuesMax) return 'it is too large or contains itself';
    }
    valueCount += inner.length;
    level = inner;
  }
  return null;
}

function isJsonLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether a value is an array or a plain object, and not a date, map or other class instance. */
function isJsonContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describeNonJson(value: unknown): string {
  return typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
}
