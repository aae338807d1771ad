import { behaviours, isAtLeast } from '../behaviour.ts';
import type { Event } from '../event.ts';
import { calm, type Session } from '../session.ts';
import { turnWithVerdict } from '../turn/agenda.ts';
import { isStale } from '../turn/stale.ts';
import type { ExecutingTools } from '../turn/state.ts';
import { halting, withVerdictOn, type Governed } from './governed.ts';
import { judgeDecision } from './judge-denied.ts';
import { judgeReply } from './judge-reply.ts';
import { counts, observe, textOf } from './observation.ts';
import { refusedAfter } from './refusals.ts';
import type { Rule } from './rule.ts';
import { see } from './see.ts';
import { verdictOn } from './verdict.ts';
import { watch, type Watch } from './watch.ts';

/** Looks at the events that tell whether the work moves. */
export function govern(session: Session, event: Event, rules: readonly Rule[]): Governed {
  const { turn } = session;
  switch (event.type) {
    case 'user-message':
      return turn.status === 'waitingForUser' ? hear(session, event) : { session, event, notes: [] };
    case 'tool-finished':
      if (turn.status === 'executingTools' && !isStale(turn, event)) {
        return judgeOutcome(session, turn, event, rules);
      }
      break;
    case 'model-replied':
      if (turn.status === 'callingModel' && !isStale(turn, event)) {
        return judgeReply(session, turn, event, rules);
      }
      break;
    case 'permission-decided':
      return judgeDecision(session, event, rules);
    case 'paging-finished':
      return judgePaging(session, event, rules);
    default:
  }
  return { session, event, notes: [] };
}

/** A person has spoken: what happened before is another story. */
function hear(session: Session, event: Extract<Event, { type: 'user-message' }>): Governed {
  if (event.automatic === true || session.governor === calm) return { session, event, notes: [] };
  return { session: { ...session, governor: calm }, event, notes: [] };
}

function judgeOutcome(
  session: Session,
  turn: ExecutingTools,
  event: Extract<Event, { type: 'tool-finished' }>,
  rules: readonly Rule[],
): Governed {
  const execution = turn.executions.find((each) => each.call.id === event.callId);
  const { outcome } = event;
  const kind = outcome.ok ? undefined : outcome.error.kind;
  if (execution === undefined || execution.status === 'completed' || !(counts(kind) || kind === 'invalid')) {
    return { session, event, notes: [] };
  }
  const seq = session.seq + 1;
  const { tool, args } = execution.call;
  const said = outcome.ok ? textOf(outcome.output) : outcome.error.message;
  const sighting =
    kind === 'invalid'
      ? ({ kind: 'decision', seq, request: turn.request } as const)
      : observe({ seq, at: event.at, tool, args, ok: outcome.ok, said, files: event.files });
  const judged = watch(session.governor.watch, sighting, rules);
  const governor = {
    ...session.governor,
    watch: judged.watch,
    refused:
      sighting.kind === 'decision'
        ? session.governor.refused
        : refusedAfter(session.governor, sighting, judged.finding),
  };
  const governed = { ...session, governor };
  if (judged.finding === null) return { session: governed, event, notes: [] };
  const failure = outcome.ok ? null : { args, said, tools: toolsThatWork(judged.watch) };
  const verdict = verdictOn(judged.finding, session.settings.governor, failure);
  return withVerdictOn({ ...governed, turn: turnWithVerdict(turn, verdict) }, event, verdict);
}

function toolsThatWork({ seen }: Watch): ReadonlySet<string> {
  return new Set(seen.work.filter(({ error }) => error === null).map(({ tool }) => tool));
}

/** Room that is made again and again without any to show for it: the model cannot be asked, so the work halts. */
function judgePaging(
  session: Session,
  event: Extract<Event, { type: 'paging-finished' }>,
  rules: readonly Rule[],
): Governed {
  const { turn } = session;
  if (turn.status !== 'paging' || isStale(turn, event)) return { session, event, notes: [] };
  const { asking, modelRetries } = turn.work;
  const fruitless = hasFreedLittle(session, event) || (asking && modelRetries > 1);
  const sighting = { kind: 'paging', seq: session.seq + 1, fruitless } as const;
  const { session: governed, verdict } = see(session, sighting, rules);
  if (verdict === null) return { session: governed, event, notes: [] };
  const isOver = verdict.response.kind === 'finish' && asking;
  return isOver
    ? { session: governed, event: halting(verdict, event.at), notes: [] }
    : withVerdictOn(governed, event, verdict);
}

/** What making room must free to have been worth it, as a share of what was held. */
const worthIt = 0.1;

/** Where nothing was held, nothing can be freed, and no room was made. */
function hasFreedLittle(
  session: Session,
  { freedTokens, heldTokens }: Extract<Event, { type: 'paging-finished' }>,
): boolean {
  if (heldTokens === undefined) return freedTokens <= 0;
  const isNothing = freedTokens <= 0 && isAtLeast(session, behaviours.countsAreFair);
  return isNothing || freedTokens < heldTokens * worthIt;
}
