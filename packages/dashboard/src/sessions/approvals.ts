import { getUnpausedTurn } from '@pawl/core';
import { describeCall, type SessionSummary, type Store } from '@pawl/runtime';
import type { ApprovalRequest } from '../api/index.ts';
import { listPendingApprovals } from './session-facts.ts';

/** Wider than any page; the page wraps longer lines itself. */
const describedWidth = 200;

const approvalStatuses: ReadonlySet<SessionSummary['status']> = new Set(['awaitingPermission', 'paused']);

/** Lists the tool calls that wait for approval in all sessions, longest waiting first. */
export async function listApprovals(store: Store): Promise<ApprovalRequest[]> {
  const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  const waiting = all.filter(({ status }) => approvalStatuses.has(status));
  const approvals: ApprovalRequest[] = [];
  for (const summary of waiting) approvals.push(...(await listSessionApprovals(store, summary)));
  return approvals.toSorted((a, b) => a.since - b.since);
}

async function listSessionApprovals(
  store: Store,
  { id, goal }: SessionSummary,
): Promise<readonly ApprovalRequest[]> {
  const opened = await store.open(id).catch(() => null);
  // The session was removed in the meantime or cannot be read.
  if (opened === null) return [];
  const { turn } = opened.session;
  const activeTurn = getUnpausedTurn(turn);
  if (activeTurn.status !== 'awaitingPermission') return [];
  return listPendingApprovals(turn).map((call) => ({
    session: id,
    goal,
    callId: call.id,
    request: activeTurn.request,
    tool: call.tool,
    args: call.args,
    about: describeCall(call, { width: describedWidth }).lines.join('\n'),
    risk: riskByTool.get(call.tool) ?? 'unknown',
    since: activeTurn.since,
  }));
}

/** Risk of the built-in tools. */
const riskByTool: ReadonlyMap<string, ApprovalRequest['risk']> = new Map([
  ['read', 'looks'],
  ['glob', 'looks'],
  ['search', 'looks'],
  ['write', 'changes'],
  ['edit', 'changes'],
  ['shell', 'runs'],
  ['test', 'runs'],
]);
