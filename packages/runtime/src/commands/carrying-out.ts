import type { Event } from '@pawl/core';

/** Not part of what is kept of an event: a symbol is in no JSON. */
const applied = Symbol('the command that this event carries out');

/** Marks an event, so that the store takes the command away in the same transaction in which it keeps the event. */
export function carryingOut<Kind extends object>(event: Kind, command: string): Kind {
  return { ...event, [applied]: command };
}

/** Which command an event carries out, if any. */
export function commandIn(event: Event): string | undefined {
  const command: unknown = Reflect.get(event, applied);
  return typeof command === 'string' ? command : undefined;
}
