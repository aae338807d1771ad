import { meaningOf } from '../../governor/outcome-text.ts';
import { machineIn, type Machine } from '../machine.ts';
import { withRecent } from '../recent.ts';
import type { EndedCall, ToolCall } from '../record.ts';
import type { NexoraConfig } from './config.ts';
import type { NexoraState } from './states.ts';

/** One ended call, as the rules look at it. */
export type NexoraAction = {
  readonly seq: number;
  readonly tool: string;
  /** What it was about: a file, else a command, else the tool itself. */
  readonly target: string;
  readonly file: string | null;
  readonly contentHash: string | null;
  readonly success: boolean;
};

export type NexoraError = {
  readonly seq: number;
  readonly target: string;
  readonly fingerprint: string;
  readonly text: string;
};

/** The state of the agent and what is fresh in memory. Plain JSON, bounded, and a function of the records alone. */
export type NexoraMind = {
  readonly kind: 'nexora';
  readonly config: NexoraConfig;
  readonly machine: Machine<NexoraState>;
  readonly actions: readonly NexoraAction[];
  readonly errors: readonly NexoraError[];
  /** Failures since the latest success. */
  readonly consecutiveErrors: number;
  /** Calls since memory was cleared. */
  readonly callsSinceReset: number;
  /** `callsSinceReset` when a file got new content, a test began to pass or a milestone was reached; null for never. */
  readonly progressAt: number | null;
  /** Whether a look at the progress found none. */
  readonly stalled: boolean;
  /** Recoveries tried since the work last moved. */
  readonly recoveries: number;
};

const commandMax = 50;
const textMax = 200;

const fresh = {
  actions: [],
  errors: [],
  consecutiveErrors: 0,
  callsSinceReset: 0,
  progressAt: null,
  stalled: false,
  recoveries: 0,
} as const;

export function nexoraMind(config: NexoraConfig, at: number): NexoraMind {
  return { kind: 'nexora', config, machine: machineIn<NexoraState>('Idle', at), ...fresh };
}

/** A fresh start for a new phase. Where the agent is stays as it is. */
export function forgotten(mind: NexoraMind): NexoraMind {
  return { ...mind, ...fresh };
}

export function remembered(mind: NexoraMind, { seq, call, outcome }: EndedCall): NexoraMind {
  const { success, contentHash = null, error = '' } = outcome;
  const target = targetOf(call);
  const action = { seq, tool: call.tool, target, file: call.file ?? null, contentHash, success };
  const actions = withRecent(mind.actions, action, mind.config.maxRecentActions);
  const callsSinceReset = mind.callsSinceReset + 1;
  if (success) return { ...mind, actions, callsSinceReset, consecutiveErrors: 0 };
  const failure = {
    seq,
    target,
    fingerprint: meaningOf(error),
    text: error.slice(0, textMax),
  };
  const errors = withRecent(mind.errors, failure, mind.config.maxRecentErrors);
  return { ...mind, actions, errors, callsSinceReset, consecutiveErrors: mind.consecutiveErrors + 1 };
}

/** Empty texts count as missing: callers pass them for what does not apply. */
function targetOf({ file, command, tool }: ToolCall): string {
  return file || command?.slice(0, commandMax) || tool;
}
