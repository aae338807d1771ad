import type { Json } from '@pawl/governor';
import { describeJsonProblem } from './json-problem.ts';
import { normalizeTags } from './tags.ts';

/** Every memory action with its description for the model. */
export const memoryActions = {
  working_memory_add: 'Add information to working memory under its tags; replaces an existing entry.',
  working_memory_remove: 'Remove the entry with these tags from working memory; a copy in storage stays.',
  working_memory_list: 'List the entries of working memory with their sizes.',
  working_memory_pin: 'Pin the entry with these tags, so that paging never moves it to storage.',
  working_memory_unpin: 'Unpin the entry with these tags, so that paging may move it to storage again.',
  storage_save:
    'Save information to storage under its tags; without a value, saves the working-memory entry with these tags.',
  storage_load: 'Load the entry with these tags from storage into working memory.',
  storage_search: 'Search storage by tags, by words in the value, or both.',
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
export function parseMemoryAction(input: unknown, allowed: readonly MemoryActionType[]): ParsedMemoryAction {
  const type = toTrimmedText(getActionField(input, 'type'));
  if (type === '') return rejectMemoryAction(`The action has no type. The types are ${allowed.join(', ')}.`);
  const actionType = allowed.find((each) => each === type);
  if (actionType === undefined)
    return rejectMemoryAction(
      `There is no action ${quoteClipped(type)}. The types are ${allowed.join(', ')}.`,
    );
  const value = getActionField(input, 'value');
  const problem = value === undefined ? null : describeJsonProblem(value);
  if (problem !== null)
    return rejectMemoryAction(
      `The value of ${actionType} cannot be kept: ${problem}. Give text or simple JSON.`,
    );
  return buildMemoryAction(actionType, getActionField(input, 'tags'), value as Json | undefined);
}

function buildMemoryAction(
  type: MemoryActionType,
  inputTags: unknown,
  inputValue: Json | undefined,
): ParsedMemoryAction {
  if (type === 'working_memory_list') return { ok: true, action: { type } };
  const value = isBlankText(inputValue) ? null : (inputValue ?? null);
  const tags = normalizeTags(inputTags);
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
function getActionField(input: unknown, name: string): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return undefined;
  return (input as { readonly [key: string]: unknown })[name];
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
