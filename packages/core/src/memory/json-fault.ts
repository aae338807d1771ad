/** Deeper than anything people or models write; whoever prints a value calls itself once for each level. */
const depthMax = 100;

/** More values than fit into any model's window; only what contains itself gets this far. */
const valuesMax = 10_000_000;

/** Why a value is not JSON that can be kept and given back as it came, or null. Goes level by level, not by calls. */
export function jsonFault(value: unknown): string | null {
  let level: readonly unknown[] = [value];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (isLeaf(item)) continue;
      if (!isContainer(item)) return `it holds ${described(item)}, which JSON cannot`;
      if (depth === depthMax) return `it is nested more than ${depthMax} levels deep`;
      for (const part of Array.isArray(item) ? item : Object.values(item)) inner.push(part);
      if (seen + inner.length > valuesMax) return 'it is too large or contains itself';
    }
    seen += inner.length;
    level = inner;
  }
  return null;
}

function isLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** An array or a plain object; not a date, a map or any other thing with a class. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function described(value: unknown): string {
  return typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
}
