import { StoreError } from './store-error.ts';

/**
 * Serializes a value to JSON that parses back to the same value. Rejects values that JSON would silently change, such
 * as NaN, because a replay would then diverge. Omits undefined fields.
 */
export function serializeJson(value: unknown, where: string): string {
  const problem = findSerializationProblem(value);
  if (problem !== null) throw new StoreError('invalid', where, problem);
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The value is nested too deeply for JSON, or the result is too long for a string.
    throw new StoreError('invalid', where, error instanceof Error ? error.message : undefined, error);
  }
}

type JsonVisit = { readonly value: unknown; readonly name: string; readonly depth: number };

/** Far more than real data needs and well within JSON's limits. It also stops circular values. */
const storedDepthMax = 2_000;

/**
 * Returns why a value would not survive a JSON round trip; null if it would. It is iterative because a model or a tool
 * determines the nesting depth.
 */
export function findSerializationProblem(root: unknown): string | null {
  const pending: JsonVisit[] = [{ value: root, name: 'it', depth: 0 }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { value, name, depth } = visit;
    const problem = findValueProblem(value, depth);
    if (problem !== null) return `${JSON.stringify(name.slice(0, 100))} is ${problem}`;
    if (value === null || typeof value !== 'object') continue;
    const isList = Array.isArray(value);
    const keys = Object.keys(value);
    if (isList && keys.length !== value.length) return `${JSON.stringify(name)} has gaps`;
    for (const key of keys) {
      const item: unknown = Reflect.get(value, key);
      // Strings and booleans are always valid and most frequent, so skip the visit.
      if (typeof item === 'string' || typeof item === 'boolean' || (item === undefined && !isList)) continue;
      pending.push({ value: item, name: key, depth: depth + 1 });
    }
  }
  return null;
}

function findValueProblem(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : String(value);
  if (typeof value !== 'object') return `of type ${typeof value}`;
  if (depth > storedDepthMax) return `nested more than ${storedDepthMax} deep`;
  return isPlainContainer(value) ? null : 'not a plain object or list';
}

function isPlainContainer(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    typeof Reflect.get(value, 'toJSON') !== 'function'
  );
}
