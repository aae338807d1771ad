import { findJsonProblem } from '@pawl/governor/json';
import type { Json } from '@pawl/governor';

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

/** Longer tags are content rather than a name. */
const tagCharactersMax = 500;

export type NormalizedTags = { readonly key: string } | { readonly problem: string };

/**
 * Normalizes the tags of an entry to its key, which is the same in working memory and storage: split at commas,
 * trimmed, with whitespace and control characters as underscores, sorted and deduplicated, so that `b, a` and `a,b` are
 * one key. Case is preserved.
 */
export function normalizeTags(input: unknown): NormalizedTags {
  const texts = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    return { problem: missingTagsProblem };
  if (texts.reduce((sum, text) => sum + text.length, 0) > tagCharactersMax)
    return { problem: tagsTooLongProblem };
  const tags = texts.flatMap((text) => text.split(',')).map(normalizeTag);
  const named = tags.filter((tag) => tag !== '');
  if (named.length === 0) return { problem: missingTagsProblem };
  return { key: toTagKey(named) };
}

/** Joins normalized tags to a key. */
export function toTagKey(tags: readonly string[]): string {
  return [...new Set(tags)].toSorted().join(',');
}

export function parseTagKey(key: string): readonly string[] {
  return key.split(',');
}

/**
 * Replaces lone surrogates, because they cannot be written to a file, and normalizes different spellings of the same
 * characters.
 */
function normalizeTag(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .trim()
    .replaceAll(/[\s\p{Cc}]/gu, '_');
}

const missingTagsProblem =
  'it has no tags. Give the name of the information, such as "project_plan"; several tags with commas between them';
const tagsTooLongProblem = `its tags are longer than ${tagCharactersMax} characters. Tags are a short name; put the content into the value`;

/** Deeper than people or models write; the limit protects recursive printers. */
const memoryJsonDepthMax = 100;

/** Returns why a value is not JSON that survives a round trip, or null. */
export function describeJsonProblem(value: unknown): string | null {
  const problem = findJsonProblem(value, memoryJsonDepthMax);
  switch (problem?.kind) {
    case undefined:
      return null;
    case 'type':
      return `it holds ${describeNonJson(problem.value)}, which JSON cannot`;
    case 'depth':
      return `it is nested more than ${memoryJsonDepthMax} levels deep`;
    case 'size':
      return 'it is too large or contains itself';
    default:
      return problem satisfies never;
  }
}

function describeNonJson(value: unknown): string {
  return typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`;
}
