import type { Json } from '../json.ts';
import { jsonFault } from './json-fault.ts';
import { normalTags } from './tags.ts';

/** Every action on memory and what it does, in words for a model. */
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

/** An action that can be carried out. */
export type MemoryAction =
  | { readonly type: 'working_memory_add'; readonly key: string; readonly value: Json }
  | { readonly type: 'working_memory_remove'; readonly key: string }
  | { readonly type: 'working_memory_list' }
  | { readonly type: 'working_memory_pin'; readonly key: string }
  | { readonly type: 'working_memory_unpin'; readonly key: string }
  | { readonly type: 'storage_save'; readonly key: string; readonly value: Json | null }
  | { readonly type: 'storage_load'; readonly key: string }
  | { readonly type: 'storage_search'; readonly key: string; readonly text: string };

export type ReadAction =
  | { readonly ok: true; readonly action: MemoryAction }
  | { readonly ok: false; readonly message: string };

/** Reads `{ type, tags, value }` as a model gave it. Types are compared whole: half of a name is no name. */
export function readMemoryAction(given: unknown, allowed: readonly MemoryActionType[]): ReadAction {
  const type = textOf(field(given, 'type'));
  if (type === '') return bad(`The action has no type. The types are ${allowed.join(', ')}.`);
  const known = allowed.find((each) => each === type);
  if (known === undefined)
    return bad(`There is no action ${clipped(type)}. The types are ${allowed.join(', ')}.`);
  const value = field(given, 'value');
  const fault = value === undefined ? null : jsonFault(value);
  if (fault !== null) return bad(`The value of ${known} cannot be kept: ${fault}. Give text or simple JSON.`);
  return make(known, field(given, 'tags'), value as Json | undefined);
}

function make(type: MemoryActionType, givenTags: unknown, given: Json | undefined): ReadAction {
  if (type === 'working_memory_list') return { ok: true, action: { type } };
  const value = isBlank(given) ? null : (given ?? null);
  const tags = normalTags(givenTags);
  if (type === 'storage_search') {
    const text = textOf(value);
    const key = 'key' in tags ? tags.key : '';
    if (key === '' && text === '')
      return bad('storage_search needs tags, or words to look for as its value.');
    return { ok: true, action: { type, key, text } };
  }
  if ('fault' in tags) return bad(`${type} cannot be done: ${tags.fault}.`);
  const { key } = tags;
  if (type === 'storage_save') return { ok: true, action: { type, key, value } };
  if (type !== 'working_memory_add') return { ok: true, action: { type, key } };
  if (value === null) return bad('working_memory_add needs a value: the information that is to be kept.');
  return { ok: true, action: { type, key, value } };
}

/** Only what an object has itself, so that no inherited name is taken for a field. */
function field(given: unknown, name: string): unknown {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return undefined;
  return (given as { readonly [key: string]: unknown })[name];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** An empty value says nothing that could be kept. */
function isBlank(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function bad(message: string): ReadAction {
  return { ok: false, message };
}

function clipped(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
