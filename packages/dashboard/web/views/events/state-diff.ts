import { entriesOf, toArray, type Conversation, type Memory, type Session } from '@pawl/core';

/** One place where two states differ. `before` or `after` is undefined where there was nothing or is nothing. */
export type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

export type StateDiff = { readonly changes: readonly Change[]; readonly left: number };

const changesMax = 200;
const depthMax = 12;

/**
 * What an event changed. Parts that both states share are not looked into, so it costs what changed and not what there
 * is. The conversation and the memory are told as messages and entries, not as the trees that they are kept in.
 */
export function stateDiff(before: Session, after: Session): StateDiff {
  const found: Change[] = [];
  let left = 0;
  compare({ path: '', before, after }, 0, (change) => {
    if (found.length < changesMax) found.push(change);
    else left += 1;
  });
  return { changes: found, left };
}

type Tell = (change: Change) => void;

function compare(change: Change, depth: number, tell: Tell): void {
  const { path, before, after } = change;
  if (Object.is(before, after)) return;
  if (isConversation(before) && isConversation(after)) return messages(path, before, after, tell);
  if (path === 'memory' && isMemory(before) && isMemory(after)) return memory(before, after, depth, tell);
  if (depth < depthMax && isObject(before) && isObject(after) && isList(before) === isList(after)) {
    return parts(path, before, after, { depth, tell });
  }
  if (!isSame(before, after)) tell(change);
}

function parts(
  path: string,
  before: object,
  after: object,
  { depth, tell }: { readonly depth: number; readonly tell: Tell },
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const next = path === '' ? key : isList(after) ? `${path}[${key}]` : `${path}.${key}`;
    compare({ path: next, before: own(before, key), after: own(after, key) }, depth + 1, tell);
  }
}

function messages(
  path: string,
  before: Conversation<unknown>,
  after: Conversation<unknown>,
  tell: Tell,
): void {
  const old = toArray(before);
  const now = toArray(after);
  const shared = Math.min(old.length, now.length);
  let same = 0;
  while (same < shared && isSame(old[same], now[same])) same += 1;
  if (same === old.length) {
    for (let index = same; index < now.length; index += 1) {
      tell({ path: `${path}[${index}]`, before: undefined, after: now[index] });
    }
    return;
  }
  tell({ path: `${path} (messages)`, before: old.length, after: now.length });
}

function memory(before: Memory, after: Memory, depth: number, tell: Tell): void {
  const old = new Map(entriesOf(before).map((entry) => [entry.key, entry]));
  const now = new Map(entriesOf(after).map((entry) => [entry.key, entry]));
  for (const [key, entry] of now) {
    compare({ path: `memory[${key}]`, before: old.get(key), after: entry }, depth + 1, tell);
  }
  for (const [key, entry] of old) {
    if (!now.has(key)) tell({ path: `memory[${key}]`, before: entry, after: undefined });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isList(value: object): boolean {
  return Array.isArray(value);
}

function isConversation(value: unknown): value is Conversation<unknown> {
  return isObject(value) && 'root' in value && 'tail' in value && 'depth' in value && 'length' in value;
}

function isMemory(value: unknown): value is Memory {
  return isObject(value);
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return (
    Object.is(one, other) ||
    (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other))
  );
}
