import type { Verdict } from '@pawl/core';
import { approvalListSchema } from '../api/approvals.ts';
import { commandSchema } from '../api/commands.ts';
import { feedbackRequestSchema } from '../api/memory.ts';
import { idResponseSchema, verdictFeedbackEntrySchema } from '../api/sessions.ts';
import { respondWithJson } from '../http/json-response.ts';
import { ApiError } from '../http/api-error.ts';
import { parseJsonBody } from '../http/request-input.ts';
import { listApprovals } from '../sessions/approvals.ts';
import { replayStoredEvents, type ReplayedStep } from '../sessions/replay-events.ts';
import type { RouteContext } from '../route-context.ts';
import * as z from 'zod';
import { getPathParameter, type ApiRoute } from './route.ts';

export const controlRoutes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/sessions/{id}/commands',
    name: 'sendCommand',
    summary: 'Asks something of a session, whoever runs it. If nobody does, it is taken up.',
    body: { schema: commandSchema },
    responses: { 202: { description: 'It is kept, and carried out soon.', schema: idResponseSchema } },
    errorStatuses: [404, 409],
    async handle(context, site) {
      const { requestId, ...command } = await parseJsonBody(context, commandSchema);
      const id = getPathParameter(context, 'id');
      const { session, metadata } = await site.store.open(id);
      const why = site.host.getDisabledReason({ metadata: metadata, status: session.turn.status });
      if (why !== null) throw new ApiError('conflict', why);
      const sent = await site.host.send(id, command, requestId);
      return respondWithJson(context, site.mask, { id: sent }, 202);
    },
  },
  {
    method: 'get',
    path: '/approvals',
    name: 'listApprovals',
    summary: 'Every call that waits for a person to decide, in every session; those that wait longest first.',
    responses: { 200: { description: 'All of them.', schema: approvalListSchema } },
    handle: async (context, { store, mask }) =>
      respondWithJson(context, mask, { approvals: await listApprovals(store) }),
  },
  {
    method: 'post',
    path: '/sessions/{id}/verdicts/{seq}',
    name: 'markVerdict',
    summary: 'Says whether a verdict of the governor was right.',
    body: { schema: feedbackRequestSchema },
    responses: {
      200: {
        description: 'What is known of it now.',
        schema: z.object({ marks: z.array(verdictFeedbackEntrySchema) }).meta({ id: 'Marks' }),
      },
    },
    errorStatuses: [404],
    async handle(context, site) {
      const id = getPathParameter(context, 'id');
      const { mark, rule, note = null } = await parseJsonBody(context, feedbackRequestSchema);
      const seq = parseEventNumber(getPathParameter(context, 'seq'));
      const verdict = await findVerdict(site, { id, seq, rule });
      await site.feedback.save(id, { seq, rule: verdict.rule, mark, note, at: site.now() });
      return respondWithJson(context, site.mask, { marks: await site.feedback.list(id) });
    },
  },
];

function parseEventNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError('bad-request', 'A verdict is named by the number of its event.');
}

type VerdictLocator = { readonly id: string; readonly seq: number; readonly rule: string | undefined };

/** Finds the verdict of an event; if it has several, the last one, unless a rule is given. */
async function findVerdict({ store }: RouteContext, { id, seq, rule }: VerdictLocator): Promise<Verdict> {
  for await (const walked of replayStoredEvents(store, id)) {
    if (walked.seq < seq) continue;
    const found = listStepVerdicts(walked).findLast((each) => rule === undefined || each.rule === rule);
    if (found !== undefined) return found;
    break;
  }
  throw new ApiError('not-found', `Event ${seq} brought no such verdict.`);
}

function listStepVerdicts({ event, after }: ReplayedStep): readonly Verdict[] {
  const noted = after.notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' ? [event.verdict, ...noted] : noted;
}
