import { eventTypes } from '@pawl/core';
import type { Event, EventType } from '@pawl/core';
import * as z from 'zod';
import { eventSchemas } from './events.ts';
import { explain, placeOf } from './explain.ts';
import { nearest } from '../nearest.ts';
import { oneLine, shown } from './one-line.ts';

export type ParsedEvent =
  | { readonly ok: true; readonly event: Event }
  /** The error is one line: what is wrong, where, what was expected and what came. */
  | { readonly ok: false; readonly error: string };

const errorLengthMax = 300;

/** Checks that a value from outside is an event. */
export function parseEvent(value: unknown): ParsedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad(`an event is an object with a "type"; got ${shown(value)}`);
  }
  const type = 'type' in value ? value.type : undefined;
  if (!isEventType(type)) return bad(unknownType(type));
  const schema: z.ZodType<Event> = eventSchemas[type];
  const parsed = schema.safeParse(value, { error: explain });
  return parsed.success ? { ok: true, event: parsed.data } : bad(`${type}: ${firstOf(parsed.error)}`);
}

function isEventType(type: unknown): type is EventType {
  return typeof type === 'string' && Object.hasOwn(eventSchemas, type);
}

function unknownType(type: unknown): string {
  if (type === undefined) return '"type" is missing; expected an event type such as "user-message"';
  if (typeof type !== 'string') return `"type": expected a string, got ${shown(type)}`;
  return `unknown event type ${shown(type)}; did you mean "${nearest(type, eventTypes)}"?`;
}

/** A key that is not known comes first: it is most often the right one misspelt, and tells of the missing one too. */
function firstOf({ issues }: z.ZodError): string {
  const first = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (first === undefined) return 'not as expected';
  const where = first.path.length === 0 ? '' : `${placeOf(first.path)}: `;
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${where}${first.message}${others}`;
}

function bad(error: string): ParsedEvent {
  return { ok: false, error: oneLine(error, errorLengthMax) };
}
