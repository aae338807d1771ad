import {
  listEntries,
  toItemArray,
  type ConversationHistory,
  type WorkingMemory,
  type Session,
} from '@pawl/core';

/** One difference between two states. `before` or `after` is undefined if the value was added or removed. */
export type StateChange = { readonly path: string; readonly before: unknown; readonly after: unknown };

export type StateDiff = { readonly changes: readonly StateChange[]; readonly left: number };

const stateChangesMax = 200;
const diffDepthMax = 12;

/**
 * Computes what an event changed. Shared parts of the two states are skipped, so the cost depends on the size of the
 * change. The conversation and the memory are compared as messages and entries, not as the trees that store them.
 */
export function diffStates(before: Session, after: Session): StateDiff {
  const found: StateChange[] = [];
  let left = 0;
  diffValues({ path: '', before, after }, 0, (change) => {
    if (found.length < stateChangesMax) found.push(change);
    else left += 1;
  });
  return { changes: found, left };
}

type ChangeListener = (change: StateChange) => void;

function diffValues(change: StateChange, depth: number, tell: ChangeListener): void {
  const { path, before, after } = change;
  if (Object.is(before, after)) return;
  if (isConversation(before) && isConversation(after)) return diffMessages(path, before, after, tell);
  if (path === 'memory' && isMemoryState(before) && isMemoryState(after))
    return diffMemory(before, after, depth, tell);
  if (
    depth < diffDepthMax &&
    isNonNullObject(before) &&
    isNonNullObject(after) &&
    isArrayObject(before) === isArrayObject(after)
  ) {
    return diffProperties(path, before, after, { depth, tell });
  }
  if (!isSameJson(before, after)) tell(change);
}

function diffProperties(
  path: string,
  before: object,
  after: object,
  { depth, tell }: { readonly depth: number; readonly tell: ChangeListener },
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const next = path === '' ? key : isArrayObject(after) ? `${path}[${key}]` : `${path}.${key}`;
    diffValues(
      { path: next, before: readOwnProperty(before, key), after: readOwnProperty(after, key) },
      depth + 1,
      tell,
    );
  }
}

function diffMessages(
  path: string,
  before: ConversationHistory<unknown>,
  after: ConversationHistory<unknown>,
  tell: ChangeListener,
): void {
  const old = toItemArray(before);
  const now = toItemArray(after);
  const shared = Math.min(old.length, now.length);
  let same = 0;
  while (same < shared && isSameJson(old[same], now[same])) same += 1;
  if (same === old.length) {
    for (let index = same; index < now.length; index += 1) {
      tell({ path: `${path}[${index}]`, before: undefined, after: now[index] });
    }
    return;
  }
  tell({ path: `${path} (messages)`, before: old.length, after: now.length });
}

function diffMemory(before: WorkingMemory, after: WorkingMemory, depth: number, tell: ChangeListener): void {
  const old = new Map(listEntries(before).map((entry) => [entry.key, entry]));
  const now = new Map(listEntries(after).map((entry) => [entry.key, entry]));
  for (const [key, entry] of now) {
    diffValues({ path: `memory[${key}]`, before: old.get(key), after: entry }, depth + 1, tell);
  }
  for (const [key, entry] of old) {
    if (!now.has(key)) tell({ path: `memory[${key}]`, before: entry, after: undefined });
  }
}

function isNonNullObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isArrayObject(value: object): boolean {
  return Array.isArray(value);
}

function isConversation(value: unknown): value is ConversationHistory<unknown> {
  return (
    isNonNullObject(value) && 'root' in value && 'tail' in value && 'depth' in value && 'length' in value
  );
}

function isMemoryState(value: unknown): value is WorkingMemory {
  return isNonNullObject(value);
}

function readOwnProperty(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function isSameJson(one: unknown, other: unknown): boolean {
  return (
    Object.is(one, other) ||
    (isNonNullObject(one) && isNonNullObject(other) && JSON.stringify(one) === JSON.stringify(other))
  );
}
