import type { Call, Outcome } from '@pawl/core';

/** The events of one turn. Pawl's own, so that nobody is fed by way of a translation. */
export type TurnEvent =
  | { readonly type: 'user-message'; readonly at: number; readonly text: string }
  | {
      readonly type: 'model-replied';
      readonly at: number;
      readonly text: string;
      readonly calls: readonly Call[];
    }
  | {
      readonly type: 'tool-finished';
      readonly at: number;
      readonly callId: string;
      readonly outcome: Outcome;
    }
  | { readonly type: 'hooks-finished'; readonly at: number; readonly actionTaken: boolean };

export type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { readonly type: Type }>;

/** A time of the size of real ones: engines keep numbers beyond 31 bits in another way than small ones. */
const at = Date.UTC(2026, 0, 1);

/** Made once: the machines are measured, not the making of events. Both tools finish in the same millisecond. */
export const turnEvents: readonly TurnEvent[] = [
  { type: 'user-message', at, text: 'Make the greeting friendlier.' },
  {
    type: 'model-replied',
    at: at + 1_000,
    text: 'I will change it and run the tests.',
    calls: [
      { id: 'call_1', tool: 'edit', args: { path: 'greeting.ts', text: 'Good morning!' } },
      { id: 'call_2', tool: 'shell', args: { command: 'npm test' } },
    ],
  },
  { type: 'tool-finished', at: at + 2_000, callId: 'call_1', outcome: { ok: true, output: 'changed' } },
  { type: 'tool-finished', at: at + 2_000, callId: 'call_2', outcome: { ok: true, output: '12 passed' } },
  { type: 'hooks-finished', at: at + 2_500, actionTaken: true },
  { type: 'model-replied', at: at + 4_000, text: 'Done: it says good morning now.', calls: [] },
];

export const messagesPerTurn = 5;
