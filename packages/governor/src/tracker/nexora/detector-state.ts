import { fingerprintMeaning } from '../../observations/outcome-fingerprint.ts';
import { createTrackerMachine, type TrackerMachine } from '../tracker-machine.ts';
import { appendRecent } from '../append-recent.ts';
import type { EndedCall, TrackerCall } from '../tracker-record.ts';
import type { NexoraConfig } from './config.ts';
import type { NexoraState } from './states.ts';

/** One ended call, as the rules see it. */
export type NexoraAction = {
  readonly seq: number;
  readonly tool: string;
  /** What the call is about: a file, otherwise a command, otherwise the tool itself. */
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

/** State of the nexora detector. Plain JSON, bounded, and a function of the records alone. */
export type NexoraDetectorState = {
  readonly kind: 'nexora';
  readonly config: NexoraConfig;
  readonly machine: TrackerMachine<NexoraState>;
  readonly actions: readonly NexoraAction[];
  readonly errors: readonly NexoraError[];
  /** Failures since the latest success. */
  readonly consecutiveErrors: number;
  /** Calls since the last reset. */
  readonly callsSinceReset: number;
  /**
   * `callsSinceReset` at the last progress: new file content, a test that started to pass, or a milestone; null for
   * none.
   */
  readonly progressAt: number | null;
  /** Whether the last progress check found no progress. */
  readonly stalled: boolean;
  /** Recoveries tried since the last progress. */
  readonly recoveries: number;
};

const targetCommandMax = 50;
const nexoraErrorTextMax = 200;

const emptyNexoraHistory = {
  actions: [],
  errors: [],
  consecutiveErrors: 0,
  callsSinceReset: 0,
  progressAt: null,
  stalled: false,
  recoveries: 0,
} as const;

export function createNexoraDetector(config: NexoraConfig, at: number): NexoraDetectorState {
  return {
    kind: 'nexora',
    config,
    machine: createTrackerMachine<NexoraState>('Idle', at),
    ...emptyNexoraHistory,
  };
}

/** Clears the history for a new phase; the machine state stays. */
export function resetNexoraDetector(mind: NexoraDetectorState): NexoraDetectorState {
  return { ...mind, ...emptyNexoraHistory };
}

export function recordNexoraCall(
  mind: NexoraDetectorState,
  { seq, call, outcome }: EndedCall,
): NexoraDetectorState {
  const { success, contentHash = null, error = '' } = outcome;
  const target = getCallTarget(call);
  const action = { seq, tool: call.tool, target, file: call.file ?? null, contentHash, success };
  const actions = appendRecent(mind.actions, action, mind.config.maxRecentActions);
  const callsSinceReset = mind.callsSinceReset + 1;
  if (success) return { ...mind, actions, callsSinceReset, consecutiveErrors: 0 };
  const failure = {
    seq,
    target,
    fingerprint: fingerprintMeaning(error),
    text: error.slice(0, nexoraErrorTextMax),
  };
  const errors = appendRecent(mind.errors, failure, mind.config.maxRecentErrors);
  return { ...mind, actions, errors, callsSinceReset, consecutiveErrors: mind.consecutiveErrors + 1 };
}

/** Empty strings count as missing, because callers pass them for values that do not apply. */
function getCallTarget({ file, command, tool }: TrackerCall): string {
  return file || command?.slice(0, targetCommandMax) || tool;
}
