import { canonical } from '../../governor/canonical.ts';
import { digest } from '../../governor/digest.ts';
import { machineIn, type Machine } from '../machine.ts';
import { withRecent } from '../recent.ts';
import type { ToolCall } from '../record.ts';
import type { TrackerVerdict } from '../verdict.ts';
import { recentMax, type SavantConfig } from './config.ts';
import type { SavantState } from './states.ts';

export type RecentTool = { readonly seq: number; readonly tool: string; readonly args: string };
export type RecentQuery = { readonly seq: number; readonly query: string };

/** How the work came to its end. */
export type SavantFinish = {
  readonly reason: 'stuck_detection' | 'finished';
  readonly verdict: TrackerVerdict | null;
};

/** The state of the agent and what is fresh in memory. Plain JSON, bounded, and a function of the records alone. */
export type SavantMind = {
  readonly kind: 'savant';
  readonly config: SavantConfig;
  readonly machine: Machine<SavantState>;
  readonly tools: readonly RecentTool[];
  readonly queries: readonly RecentQuery[];
  /** Searches altogether. */
  readonly searches: number;
  /** Decisions that failed since one succeeded. */
  readonly failedDecisions: number;
  /** The verdict that the agent is being stopped for; the next tick ends the work. */
  readonly held: TrackerVerdict | null;
  /** What the model has done so far: calls, and replies that came to nothing. */
  readonly acts: number;
  /** The tick from which on the one word of advice is before the model, and what it had done by then. */
  readonly advised: { readonly step: number; readonly act: number } | null;
  /** The latest move or call that was refused, to guide the model back; null once something was not. */
  readonly refusal: string | null;
  readonly finish: SavantFinish | null;
};

const fresh = { tools: [], queries: [], failedDecisions: 0 } as const;

export function savantMind(config: SavantConfig, at: number): SavantMind {
  return {
    kind: 'savant',
    config,
    machine: machineIn<SavantState>('INIT', at),
    ...fresh,
    searches: 0,
    held: null,
    acts: 0,
    advised: null,
    refusal: null,
    finish: null,
  };
}

/** A fresh start for a new phase. Where the agent is stays as it is. */
export function forgotten(mind: SavantMind): SavantMind {
  return { ...mind, ...fresh };
}

export function remembered(mind: SavantMind, seq: number, call: ToolCall): SavantMind {
  const { tool } = call;
  const args = digest(canonical(call.args ?? null));
  const tools = withRecent(mind.tools, { seq, tool, args }, recentMax);
  if (!mind.config.searchTools.includes(tool)) return { ...mind, tools };
  const queries = withRecent(mind.queries, { seq, query: queryOf(call) }, recentMax);
  return { ...mind, tools, queries, searches: mind.searches + 1 };
}

const queryMax = 200;

/** What is searched for; empty if the call does not say. Long queries are told apart by a fingerprint. */
function queryOf({ query, args }: ToolCall): string {
  const text = (query ?? queryIn(args) ?? '').trim();
  return text.length <= queryMax ? text : `${text.slice(0, queryMax)}… (${digest(text)})`;
}

function queryIn(args: ToolCall['args']): string | undefined {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || !('query' in args)) return undefined;
  return typeof args.query === 'string' ? args.query : undefined;
}
