import type { Json } from '@pawl/governor';
import {
  getListField,
  getObjectField,
  getOwnField,
  getStringField,
  toJsonFields,
  type JsonFields,
} from '../json-fields.ts';
import { hookTimeoutSeconds, isPawlCommand } from './hook-entries.ts';

/** Cursor rejects a file with an event that it does not know, so only documented events are listed. */
const hookedEvents = ['beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'sessionEnd'];

/** Creates the content of a `hooks.json` of Cursor: one entry for each event, without groups and matchers. */
export function createCursorHooks(command: string): JsonFields {
  const entry = { command, timeout: hookTimeoutSeconds };
  return { version: 1, hooks: Object.fromEntries(hookedEvents.map((event) => [event, [entry]])) };
}

/** Adds our entries after those of others, replacing entries of an earlier installation. */
export function addCursorHooks(settings: JsonFields, command: string): JsonFields {
  const cleared = removeCursorHooks(settings);
  const hooks = getObjectField(cleared, 'hooks');
  const added = Object.entries(getObjectField(createCursorHooks(command), 'hooks')).map(
    ([event, entries]) => [event, [...getListField(hooks, event), ...toList(entries)]] as const,
  );
  return { version: 1, ...cleared, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** Removes our entries; nothing is left if only the version of the file would be. */
export function removeCursorHooks(settings: JsonFields): JsonFields {
  if (findCursorCommand(settings) === null) return settings;
  const kept = Object.entries(getObjectField(settings, 'hooks')).flatMap(([event, entries]) => {
    const left = toList(entries).filter((entry) => !isOwnEntry(entry));
    const isOurs = left.length === 0 && toList(entries).length > 0;
    return isOurs ? [] : [[event, Array.isArray(entries) ? left : entries] as const];
  });
  const { hooks: _, ...others } = settings;
  if (kept.length > 0) return { ...settings, hooks: Object.fromEntries(kept) };
  return Object.keys(others).every((name) => name === 'version') ? {} : others;
}

/** Returns the command line of our first entry, or null if there is none. */
export function findCursorCommand(settings: JsonFields): string | null {
  const entries = Object.values(getObjectField(settings, 'hooks')).flatMap(toList);
  const ours = entries.find(isOwnEntry);
  return ours === undefined ? null : getStringField(toJsonFields(ours) ?? {}, 'command');
}

function isOwnEntry(entry: Json): boolean {
  const command = getOwnField(toJsonFields(entry) ?? {}, 'command');
  return typeof command === 'string' && isPawlCommand(command, 'cursor');
}

function toList(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
