import type { ToolCall, ToolOutcome } from '@pawl/core';

/** The events of one turn. All contenders use Pawl's event types, so that none pays for a conversion. */
export type TurnEvent =
  | { readonly type: 'user-message'; readonly at: number; readonly text: string }
  | {
      readonly type: 'model-replied';
      readonly at: number;
      readonly text: string;
      readonly calls: readonly ToolCall[];
    }
  | {
      readonly type: 'tool-finished';
      readonly at: number;
      readonly callId: string;
      readonly outcome: ToolOutcome;
    }
  | { readonly type: 'hooks-finished'; readonly at: number; readonly actionTaken: boolean };

export type TurnEventOfType<Type extends TurnEvent['type']> = Extract<TurnEvent, { readonly type: Type }>;

/** A realistic timestamp, because engines represent numbers beyond 31 bits differently. */
const turnStart = Date.UTC(2026, 0, 1);

/** Created once, so that only the machines are measured. Both tools finish in the same millisecond. */
export const turnEvents: readonly TurnEvent[] = [
  { type: 'user-message', at: turnStart, text: 'Make the greeting friendlier.' },
  {
    type: 'model-replied',
    at: turnStart + 1_000,
    text: 'I will change it and run the tests.',
    calls: [
      { id: 'call_1', tool: 'edit', args: { path: 'greeting.ts', text: 'Good morning!' } },
      { id: 'call_2', tool: 'shell', args: { command: 'npm test' } },
    ],
  },
  {
    type: 'tool-finished',
    at: turnStart + 2_000,
    callId: 'call_1',
    outcome: { ok: true, output: 'changed' },
  },
  {
    type: 'tool-finished',
    at: turnStart + 2_000,
    callId: 'call_2',
    outcome: { ok: true, output: '12 passed' },
  },
  { type: 'hooks-finished', at: turnStart + 2_500, actionTaken: true },
  { type: 'model-replied', at: turnStart + 4_000, text: 'Done: it says good morning now.', calls: [] },
];

export const messagesPerTurn = 5;
