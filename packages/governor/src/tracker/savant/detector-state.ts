import { canonicalizeJson } from '../../observations/canonical-json.ts';
import { fingerprintText } from '../../observations/fingerprint.ts';
import { createTrackerMachine, type TrackerMachine } from '../tracker-machine.ts';
import { appendRecent } from '../append-recent.ts';
import type { TrackerCall } from '../tracker-record.ts';
import type { TrackerVerdict } from '../tracker-verdict.ts';
import { savantRecentMax, type SavantConfig } from './config.ts';
import type { SavantState } from './states.ts';

export type RecentToolCall = { readonly seq: number; readonly tool: string; readonly args: string };
export type RecentQuery = { readonly seq: number; readonly query: string };

/** How the work ended. */
export type SavantFinish = {
  readonly reason: 'stuck_detection' | 'finished';
  readonly verdict: TrackerVerdict | null;
};

/** State of the savant detector. Plain JSON, bounded, and a function of the records alone. */
export type SavantDetectorState = {
  readonly kind: 'savant';
  readonly config: SavantConfig;
  readonly machine: TrackerMachine<SavantState>;
  readonly tools: readonly RecentToolCall[];
  readonly queries: readonly RecentQuery[];
  /** Total number of searches. */
  readonly searches: number;
  /** Failed decisions since the last success. */
  readonly failedDecisions: number;
  /** The verdict for which the agent is being stopped; the next tick ends the work. */
  readonly held: TrackerVerdict | null;
  /** Number of the model's actions so far: calls and unparsable replies. */
  readonly acts: number;
  /** The tick from which the model can see the advice, and the number of its actions by then. */
  readonly advised: { readonly step: number; readonly act: number } | null;
  /** The latest refused transition or call, as guidance for the model; null after one is accepted. */
  readonly refusal: string | null;
  readonly finish: SavantFinish | null;
};

const emptySavantHistory = { tools: [], queries: [], failedDecisions: 0 } as const;

export function createSavantDetector(config: SavantConfig, at: number): SavantDetectorState {
  return {
    kind: 'savant',
    config,
    machine: createTrackerMachine<SavantState>('INIT', at),
    ...emptySavantHistory,
    searches: 0,
    held: null,
    acts: 0,
    advised: null,
    refusal: null,
    finish: null,
  };
}

/** Clears the history for a new phase; the machine state stays. */
export function resetSavantDetector(mind: SavantDetectorState): SavantDetectorState {
  return { ...mind, ...emptySavantHistory };
}

export function recordSavantCall(
  mind: SavantDetectorState,
  seq: number,
  call: TrackerCall,
): SavantDetectorState {
  const { tool } = call;
  const args = fingerprintText(canonicalizeJson(call.args ?? null));
  const tools = appendRecent(mind.tools, { seq, tool, args }, savantRecentMax);
  if (!mind.config.searchTools.includes(tool)) return { ...mind, tools };
  const queries = appendRecent(mind.queries, { seq, query: getSearchQuery(call) }, savantRecentMax);
  return { ...mind, tools, queries, searches: mind.searches + 1 };
}

const savantQueryMax = 200;

/** Returns the search query, or an empty string if the call has none. A fingerprint distinguishes long queries. */
function getSearchQuery({ query, args }: TrackerCall): string {
  const text = (query ?? getQueryArgument(args) ?? '').trim();
  return text.length <= savantQueryMax
    ? text
    : `${text.slice(0, savantQueryMax)}… (${fingerprintText(text)})`;
}

function getQueryArgument(args: TrackerCall['args']): string | undefined {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || !('query' in args)) return undefined;
  return typeof args.query === 'string' ? args.query : undefined;
}
