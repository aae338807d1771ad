import type { Call, Message } from '@pawl/core';
import type { EventOf } from './turn-events.ts';

/* How events become messages, for the bare reducers and every peer. */

export function userMessage({ at, text }: EventOf<'user-message'>): Message {
  return { role: 'user', at, text };
}

export function assistantMessage({ at, text, calls }: EventOf<'model-replied'>): Message {
  return { role: 'assistant', at, text, calls };
}

export function toolMessage(
  { at, callId, outcome }: EventOf<'tool-finished'>,
  calls: readonly Call[],
): Message {
  const tool = calls.find((call) => call.id === callId)?.tool ?? 'unknown';
  return { role: 'tool', at, callId, tool, outcome };
}
