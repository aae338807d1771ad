import { unpaused } from '@pawl/core';
import { describeCall, type SessionSummary, type Store } from '@pawl/runtime';
import type { Approval } from '../api/index.ts';
import { openCalls } from './facts.ts';

/** Wider than any page: what is too long for it is wrapped there. */
const width = 200;

const statusesThatAsk: ReadonlySet<SessionSummary['status']> = new Set(['awaitingPermission', 'paused']);

/** Every call that waits for a person, in every session; those that wait longest first. */
export async function approvalsIn(store: Store): Promise<Approval[]> {
  const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  const asking = all.filter(({ status }) => statusesThatAsk.has(status));
  const found: Approval[] = [];
  for (const summary of asking) found.push(...(await approvalsOf(store, summary)));
  return found.toSorted((a, b) => a.since - b.since);
}

async function approvalsOf(store: Store, { id, goal }: SessionSummary): Promise<readonly Approval[]> {
  const opened = await store.open(id).catch(() => null);
  // One that was removed meanwhile, or cannot be read, asks for nothing.
  if (opened === null) return [];
  const { turn } = opened.session;
  const held = unpaused(turn);
  if (held.status !== 'awaitingPermission') return [];
  return openCalls(turn).map((call) => ({
    session: id,
    goal,
    callId: call.id,
    request: held.request,
    tool: call.tool,
    args: call.args,
    about: describeCall(call, { width }).lines.join('\n'),
    risk: risks.get(call.tool) ?? 'unknown',
    since: held.since,
  }));
}

/** What the tools that come with Pawl can do. */
const risks: ReadonlyMap<string, Approval['risk']> = new Map([
  ['read', 'looks'],
  ['glob', 'looks'],
  ['search', 'looks'],
  ['write', 'changes'],
  ['edit', 'changes'],
  ['shell', 'runs'],
  ['test', 'runs'],
]);
