import type { Event } from '@pawl/core';

/** A symbol key, so that it is not serialized with the event. */
const executedCommandKey = Symbol('the command that this event carries out');

/** Marks an event so that the store removes the command in the transaction that persists the event. */
export function markExecutedCommand<Kind extends object>(event: Kind, command: string): Kind {
  return { ...event, [executedCommandKey]: command };
}

/** Returns the id of the command that an event carries out, if any. */
export function getExecutedCommand(event: Event): string | undefined {
  const command: unknown = Reflect.get(event, executedCommandKey);
  return typeof command === 'string' ? command : undefined;
}
