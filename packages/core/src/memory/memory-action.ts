import type { Json } from '@pawl/governor';
import { describeJsonProblem } from './json-problem.ts';
import { normalizeTags } from './tags.ts';

/** Every memory action with its description for the model. */
export const memoryActions = {
  working_memory_add: 'Put information into working memory under its tags; replaces what is there.',
  working_memory_remove:
    'Remove the information with these tags from working memory; storage keeps its copy.',
  working_memory_list: 'List what is in working memory with its size.',
  working_memory_pin: 'Keep the information with these tags in working memory, whatever else must make room.',
  working_memory_unpin: 'Let the information with these tags make room again when room is needed.',
  storage_save: 'Save information to storage under its tags; without a value, what working memory has there.',
  storage_load: 'Copy the information with these tags from storage into working memory.',
  storage_search: 'Find information in storage by tags, by words in the value, or both.',
} as const;

export type MemoryActionType = keyof typeof memoryActions;

export const memoryActionTypes: readonly MemoryActionType[] = Object.keys(
  memoryActions,
) as MemoryActionType[];

/** A valid memory action. */
export type MemoryAction =
  | { readonly type: 'working_memory_add'; readonly key: string; readonly value: Json }
  | { readonly type: 'working_memory_remove'; readonly key: string }
  | { readonly type: 'working_memory_list' }
  | { readonly type: 'working_memory_pin'; readonly key: string }
  | { readonly type: 'working_memory_unpin'; readonly key: string }
  | { readonly type: 'storage_save'; readonly key: string; readonly value: Json | null }
  | { readonly type: 'storage_load'; readonly key: string }
  | { readonly type: 'storage_search'; readonly key: string; readonly text: string };

export type ParsedMemoryAction =
  | { readonly ok: true; readonly action: MemoryAction }
  | { readonly ok: false; readonly message: string };

/** Parses `{ type, tags, value }` as the model gave it. The type must match exactly. */
export function parseMemoryAction(given: unknown, allowed: readonly MemoryActionType[]): ParsedMemoryAction {
  const type = toTrimmedText(getActionField(given, 'type'));
  if (type === '') return rejectMemoryAction(`The action has no type. The types are ${allowed.join(', ')}.`);
  const known = allowed.find((each) => each === type);
  if (known === undefined)
    return rejectMemoryAction(
      `There is no action ${quoteClipped(type)}. The types are ${allowed.join(', ')}.`,
    );
  const value = getActionField(given, 'value');
  const fault = value === undefined ? null : describeJsonProblem(value);
  if (fault !== null)
    return rejectMemoryAction(`The value of ${known} cannot be kept: ${fault}. Give text or simple JSON.`);
  return buildMemoryAction(known, getActionField(given, 'tags'), value as Json | undefined);
}

function buildMemoryAction(
  type: MemoryActionType,
  givenTags: unknown,
  given: Json | undefined,
): ParsedMemoryAction {
  if (type === 'working_memory_list') return { ok: true, action: { type } };
  const value = isBlankText(given) ? null : (given ?? null);
  const tags = normalizeTags(givenTags);
  if (type === 'storage_search') {
    const text = toTrimmedText(value);
    const key = 'key' in tags ? tags.key : '';
    if (key === '' && text === '')
      return rejectMemoryAction('storage_search needs tags, or words to look for as its value.');
    return { ok: true, action: { type, key, text } };
  }
  if ('problem' in tags) return rejectMemoryAction(`${type} cannot be done: ${tags.problem}.`);
  const { key } = tags;
  if (type === 'storage_save') return { ok: true, action: { type, key, value } };
  if (type !== 'working_memory_add') return { ok: true, action: { type, key } };
  if (value === null)
    return rejectMemoryAction('working_memory_add needs a value: the information that is to be kept.');
  return { ok: true, action: { type, key, value } };
}

/** Reads only own properties, so that an inherited name is not mistaken for a field. */
function getActionField(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return undefined;
  return (given as { readonly [key: string]: unknown })[name];
}

function toTrimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** A blank value holds nothing worth storing. */
function isBlankText(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function rejectMemoryAction(message: string): ParsedMemoryAction {
  return { ok: false, message };
}

function quoteClipped(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
