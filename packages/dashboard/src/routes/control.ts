import { isClosedSession, getUnpausedTurn, type Verdict } from '@pawl/core';
import { listPendingApprovals, listVerdicts } from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import { describeCall } from '@pawl/runtime/permission';
import type { SessionSummary, Store } from '@pawl/runtime/store';
import * as z from 'zod';
import { approvalListSchema, commandSchema } from '../api/control.ts';
import type { ApprovalRequest } from '../api/index.ts';
import { feedbackRequestSchema } from '../api/insight.ts';
import { idResponseSchema, verdictFeedbackEntrySchema } from '../api/sessions.ts';
import { ApiError } from '../http/api-error.ts';
import { respondWithJson } from '../http/json-response.ts';
import { parseJsonBody } from '../http/request-input.ts';
import { type RouteContext, getPathParameter, type ApiRoute } from './route.ts';

export const controlRoutes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/sessions/{id}/commands',
    name: 'sendCommand',
    summary: 'Send a command to a session. If no process runs it, it is resumed.',
    body: { schema: commandSchema },
    responses: { 202: { description: 'The command is queued.', schema: idResponseSchema } },
    errorStatuses: [404, 409],
    async handle(context, routeContext) {
      const { requestId, ...command } = await parseJsonBody(context, commandSchema);
      const id = getPathParameter(context, 'id');
      const { session, metadata } = await routeContext.store.open(id);
      const disabledReason = routeContext.host.getDisabledReason({
        metadata,
        isClosed: isClosedSession(session),
      });
      if (disabledReason !== null) throw new ApiError('conflict', disabledReason);
      const commandId = await routeContext.host.send(id, command, requestId);
      return respondWithJson(context, routeContext.mask, { id: commandId }, 202);
    },
  },
  {
    method: 'get',
    path: '/approvals',
    name: 'listApprovals',
    summary: 'List the calls of all sessions that wait for approval, longest waiting first.',
    responses: { 200: { description: 'The pending calls.', schema: approvalListSchema } },
    handle: async (context, { store, mask }) =>
      respondWithJson(context, mask, { approvals: await listApprovals(store) }),
  },
  {
    method: 'post',
    path: '/sessions/{id}/verdicts/{seq}',
    name: 'markVerdict',
    summary: 'Give feedback on a verdict of the governor.',
    body: { schema: feedbackRequestSchema },
    responses: {
      200: {
        description: 'All feedback on the session.',
        schema: z.object({ marks: z.array(verdictFeedbackEntrySchema) }).meta({ id: 'Marks' }),
      },
    },
    errorStatuses: [404],
    async handle(context, routeContext) {
      const id = getPathParameter(context, 'id');
      const { mark, rule, note = null } = await parseJsonBody(context, feedbackRequestSchema);
      const seq = parseEventNumber(getPathParameter(context, 'seq'));
      const verdict = await findVerdict(routeContext, { id, seq, rule });
      await routeContext.feedback.save(id, { seq, rule: verdict.rule, mark, note, at: routeContext.now() });
      return respondWithJson(context, routeContext.mask, { marks: await routeContext.feedback.list(id) });
    },
  },
];

function parseEventNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError('bad-request', 'The path parameter `seq` must be the number of an event.');
}

type VerdictLocator = { readonly id: string; readonly seq: number; readonly rule: string | undefined };

/** Finds the verdict of an event; if it has several, the last one, unless a rule is given. */
async function findVerdict({ store }: RouteContext, { id, seq, rule }: VerdictLocator): Promise<Verdict> {
  const { session: created } = await store.open(id, { at: 0 });
  for await (const replayed of replaySteps(created, store.events(id))) {
    if (replayed.seq < seq) continue;
    const verdict = listVerdicts(replayed).findLast((each) => rule === undefined || each.rule === rule);
    if (verdict !== undefined) return verdict;
    break;
  }
  throw new ApiError('not-found', `Event ${seq} has no such verdict.`);
}

/** Wider than any page; the page wraps longer lines itself. */
const describedWidth = 200;

const approvalStatuses: ReadonlySet<SessionSummary['status']> = new Set(['awaitingPermission', 'paused']);

/** Lists the tool calls that wait for approval in all sessions, longest waiting first. */
async function listApprovals(store: Store): Promise<ApprovalRequest[]> {
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
  const activeTurn = getUnpausedTurn(opened.session.turn);
  if (activeTurn.status !== 'awaitingPermission') return [];
  return listPendingApprovals(opened.session).map((call) => ({
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
