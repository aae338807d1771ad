import type { Verdict } from '@pawl/core';
import { approvalsSchema } from '../api/approvals.ts';
import { commandSchema } from '../api/commands.ts';
import { verdictMarkSchema } from '../api/memory.ts';
import { idAnswerSchema, markSchema } from '../api/sessions.ts';
import { answerJson } from '../http/answer.ts';
import { ApiError } from '../http/api-error.ts';
import { bodyAs } from '../http/body.ts';
import { approvalsIn } from '../sessions/approvals.ts';
import { walk, type Walked } from '../sessions/walk.ts';
import type { Site } from '../site.ts';
import * as z from 'zod';
import { part, type Route } from './route.ts';

export const controlRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/sessions/{id}/commands',
    name: 'sendCommand',
    summary: 'Asks something of a session, whoever runs it. If nobody does, it is taken up.',
    body: { schema: commandSchema },
    answers: { 202: { what: 'It is kept, and carried out soon.', schema: idAnswerSchema } },
    fails: [404, 409],
    async handle(context, site) {
      const { requestId, ...command } = await bodyAs(context, commandSchema);
      const id = part(context, 'id');
      const { session, about } = await site.store.open(id);
      const why = site.host.whyNot({ about, status: session.turn.status });
      if (why !== null) throw new ApiError('conflict', why);
      const sent = await site.host.send(id, command, requestId);
      return answerJson(context, site.mask, { id: sent }, 202);
    },
  },
  {
    method: 'get',
    path: '/approvals',
    name: 'listApprovals',
    summary: 'Every call that waits for a person to decide, in every session; those that wait longest first.',
    answers: { 200: { what: 'All of them.', schema: approvalsSchema } },
    handle: async (context, { store, mask }) =>
      answerJson(context, mask, { approvals: await approvalsIn(store) }),
  },
  {
    method: 'post',
    path: '/sessions/{id}/verdicts/{seq}',
    name: 'markVerdict',
    summary: 'Says whether a verdict of the governor was right.',
    body: { schema: verdictMarkSchema },
    answers: {
      200: {
        what: 'What is known of it now.',
        schema: z.object({ marks: z.array(markSchema) }).meta({ id: 'Marks' }),
      },
    },
    fails: [404],
    async handle(context, site) {
      const id = part(context, 'id');
      const { mark, rule, note = null } = await bodyAs(context, verdictMarkSchema);
      const seq = numberOf(part(context, 'seq'));
      const verdict = await verdictAt(site, { id, seq, rule });
      await site.marks.keep(id, { seq, rule: verdict.rule, mark, note, at: site.now() });
      return answerJson(context, site.mask, { marks: await site.marks.of(id) });
    },
  },
];

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError('bad-request', 'A verdict is named by the number of its event.');
}

type Meant = { readonly id: string; readonly seq: number; readonly rule: string | undefined };

/** The verdict that an event brought; of several the last, unless a rule is named. */
async function verdictAt({ store }: Site, { id, seq, rule }: Meant): Promise<Verdict> {
  for await (const walked of walk(store, id)) {
    if (walked.seq < seq) continue;
    const found = verdictsIn(walked).findLast((each) => rule === undefined || each.rule === rule);
    if (found !== undefined) return found;
    break;
  }
  throw new ApiError('not-found', `Event ${seq} brought no such verdict.`);
}

function verdictsIn({ event, after }: Walked): readonly Verdict[] {
  const noted = after.notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' ? [event.verdict, ...noted] : noted;
}
