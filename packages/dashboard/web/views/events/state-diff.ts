import { toItemArray, type ConversationHistory, type Session } from '@pawl/core';
import { listEntries, type WorkingMemory } from '@pawl/core/memory';
import { isJsonEqual } from '../../app/json-equal.ts';

/** One difference between two states. `before` or `after` is undefined if the value was added or removed. */
export type StateChange = { readonly path: string; readonly before: unknown; readonly after: unknown };

export type StateDiff = { readonly changes: readonly StateChange[]; readonly omitted: number };

const stateChangesMax = 200;
const diffDepthMax = 12;

/**
 * Computes what an event changed. Shared parts of the two states are skipped, so the cost depends on the size of the
 * change. The conversation and the memory are compared as messages and entries, not as the trees that store them.
 */
export function diffStates(before: Session, after: Session): StateDiff {
  const changes: StateChange[] = [];
  let omitted = 0;
  diffValues({ path: '', before, after }, 0, (change) => {
    if (changes.length < stateChangesMax) changes.push(change);
    else omitted += 1;
  });
  return { changes, omitted };
}

type ChangeListener = (change: StateChange) => void;

function diffValues(change: StateChange, depth: number, report: ChangeListener): void {
  const { path, before, after } = change;
  if (Object.is(before, after)) return;
  if (isConversation(before) && isConversation(after)) return diffMessages(path, before, after, report);
  if (path === 'memory' && isMemoryState(before) && isMemoryState(after))
    return diffMemory(before, after, depth, report);
  if (
    depth < diffDepthMax &&
    isNonNullObject(before) &&
    isNonNullObject(after) &&
    isArrayObject(before) === isArrayObject(after)
  ) {
    return diffProperties(path, before, after, { depth, report });
  }
  if (!isJsonEqual(before, after)) report(change);
}

function diffProperties(
  path: string,
  before: object,
  after: object,
  { depth, report }: { readonly depth: number; readonly report: ChangeListener },
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const next = path === '' ? key : isArrayObject(after) ? `${path}[${key}]` : `${path}.${key}`;
    diffValues(
      { path: next, before: readOwnProperty(before, key), after: readOwnProperty(after, key) },
      depth + 1,
      report,
    );
  }
}

function diffMessages(
  path: string,
  before: ConversationHistory<unknown>,
  after: ConversationHistory<unknown>,
  report: ChangeListener,
): void {
  const previous = toItemArray(before);
  const current = toItemArray(after);
  const shared = Math.min(previous.length, current.length);
  let same = 0;
  while (same < shared && isJsonEqual(previous[same], current[same])) same += 1;
  if (same === previous.length) {
    for (let index = same; index < current.length; index += 1) {
      report({ path: `${path}[${index}]`, before: undefined, after: current[index] });
    }
    return;
  }
  report({ path: `${path} (messages)`, before: previous.length, after: current.length });
}

function diffMemory(
  before: WorkingMemory,
  after: WorkingMemory,
  depth: number,
  report: ChangeListener,
): void {
  const previous = new Map(listEntries(before).map((entry) => [entry.key, entry]));
  const current = new Map(listEntries(after).map((entry) => [entry.key, entry]));
  for (const [key, entry] of current) {
    diffValues({ path: `memory[${key}]`, before: previous.get(key), after: entry }, depth + 1, report);
  }
  for (const [key, entry] of previous) {
    if (!current.has(key)) report({ path: `memory[${key}]`, before: entry, after: undefined });
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
