import { StoreError } from './store-error.ts';

/**
 * The JSON of a value, from which the same value can be read back. What JSON would change without a word, such as NaN, is
 * refused, since a replay would then lead elsewhere. A field that is undefined is left out, as if it were not there.
 */
export function jsonText(value: unknown, where: string): string {
  const problem = jsonProblem(value);
  if (problem !== null) throw new StoreError('invalid', where, problem);
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Nested too deep for JSON, or too long for a text.
    throw new StoreError('invalid', where, error instanceof Error ? error.message : undefined, error);
  }
}

type Visit = { readonly value: unknown; readonly name: string; readonly depth: number };

/** Far more than anybody writes, and well within what JSON can do. A value that contains itself ends here as well. */
const depthMax = 2_000;

/**
 * What keeps a value from coming back from JSON the same; null for nothing. A loop, not a recursion: how deep it goes is up
 * to a model or a tool.
 */
export function jsonProblem(root: unknown): string | null {
  const open: Visit[] = [{ value: root, name: 'it', depth: 0 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, name, depth } = visit;
    const problem = problemWith(value, depth);
    if (problem !== null) return `${JSON.stringify(name.slice(0, 100))} is ${problem}`;
    if (value === null || typeof value !== 'object') continue;
    const isList = Array.isArray(value);
    const keys = Object.keys(value);
    if (isList && keys.length !== value.length) return `${JSON.stringify(name)} has gaps`;
    for (const key of keys) {
      const item: unknown = Reflect.get(value, key);
      // Most of what there is are texts and flags, which are always fine: they are not worth a visit.
      if (typeof item === 'string' || typeof item === 'boolean' || (item === undefined && !isList)) continue;
      open.push({ value: item, name: key, depth: depth + 1 });
    }
  }
  return null;
}

function problemWith(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : String(value);
  if (typeof value !== 'object') return `of type ${typeof value}`;
  if (depth > depthMax) return `nested more than ${depthMax} deep`;
  return isPlain(value) ? null : 'not a plain object or list';
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    typeof Reflect.get(value, 'toJSON') !== 'function'
  );
}
