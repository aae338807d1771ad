import { type Event, type EventType, eventTypes } from '@pawl/core';
import { upgradeEvent } from '@pawl/core/upgrade';
import * as z from 'zod';
import { eventSchemas } from './events.ts';
import { explainSchemaIssue, formatIssuePath } from './explain.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { toPrintableLine, formatShortValue } from '../text/one-line.ts';

export type ParsedEvent =
  | { readonly ok: true; readonly event: Event }
  /** A single line: what is wrong, where, what was expected and what was received. */
  | { readonly ok: false; readonly error: string };

const errorLengthMax = 300;

/** Validates an external value as an event; it may have the names of an older release. */
export function parseEvent(received: unknown): ParsedEvent {
  const value = upgradeEvent(received);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return createParseError(`an event is an object with a "type"; got ${formatShortValue(value)}`);
  }
  const type = 'type' in value ? value.type : undefined;
  if (!isEventType(type)) return createParseError(describeUnknownType(type));
  const schema: z.ZodType<Event> = eventSchemas[type];
  const parsed = schema.safeParse(value, { error: explainSchemaIssue });
  return parsed.success
    ? { ok: true, event: parsed.data }
    : createParseError(`${type}: ${formatFirstIssue(parsed.error)}`);
}

function isEventType(type: unknown): type is EventType {
  return typeof type === 'string' && Object.hasOwn(eventSchemas, type);
}

function describeUnknownType(type: unknown): string {
  if (type === undefined) return '"type" is missing; expected an event type such as "user-message"';
  if (typeof type !== 'string') return `"type": expected a string, got ${formatShortValue(type)}`;
  return `unknown event type ${formatShortValue(type)}; did you mean "${findNearestName(type, eventTypes)}"?`;
}

/** Reports an unknown key first, because it is usually a misspelling and explains the missing key too. */
function formatFirstIssue({ issues }: z.ZodError): string {
  const first = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (first === undefined) return 'not as expected';
  const location = first.path.length === 0 ? '' : `${formatIssuePath(first.path)}: `;
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${location}${first.message}${others}`;
}

function createParseError(error: string): ParsedEvent {
  return { ok: false, error: toPrintableLine(error, errorLengthMax) };
}
