import {
  nextPhase,
  phaseLine,
  phaseProblem,
  phaseProgress,
  phasesMax,
  phaseTotals,
  type Json,
  type Outcome,
  type PastPhase,
  type Phases,
} from '@pawl/core';
import * as z from 'zod';
import { systemClock, type Clock } from '../clock.ts';
import type { Post, Unstamped } from '../work.ts';
import type { Tool } from './tool.ts';
import { defineTool, failure } from './tool.ts';

export type PhaseToolsOptions = {
  readonly post: Post;
  /** The phases of the session as they are now. */
  readonly phases: () => Phases;
  readonly clock?: Pick<Clock, 'now'>;
};

/**
 * With these a model divides its work into phases. Calls made at once are taken one after the other, and one that asks
 * for what is so already changes nothing: a change of phase starts the governor afresh, so none is made for nothing.
 */
export function createPhaseTools(options: PhaseToolsOptions): readonly Tool[] {
  const desk = createDesk(options);
  return [planTool(desk), startTool(desk), completeTool(desk), statusTool(desk)];
}

/** What the tools share. */
type Desk = {
  readonly phases: () => Phases;
  /** Runs work one piece after the other. */
  readonly inTurn: (work: () => Promise<Outcome>) => Promise<Outcome>;
  /** Says what has happened, and how far the task is now. */
  readonly tell: (what: string) => Outcome;
  readonly change: (event: Unstamped, signal: AbortSignal, what: string) => Promise<Outcome>;
};

function createDesk({ post, phases, clock = systemClock }: PhaseToolsOptions): Desk {
  let last: Promise<unknown> = Promise.resolve();
  const tell = (what: string): Outcome => ({
    ok: true,
    output: { what, ...statusOf(phases(), clock.now()) },
  });
  return {
    phases,
    tell,
    inTurn(work) {
      const result = last.then(work);
      // One that throws does not hold up the next.
      last = result.catch(() => undefined);
      return result;
    },
    async change(event, signal, what) {
      if (signal.aborted) return failure('cancelled', 'The change of phase was called off.');
      return (await post(event)) ? tell(what) : failure('failed', notTaken);
    },
  };
}

const notTaken = 'The session did not take the change of phase. Use phase_status to see where it is.';

/** As long as a phase record has room for; what is said of a phase may be longer, and the record keeps its beginning. */
const title = z.string().trim().min(1).max(500);
const words = z.string().trim().min(1).max(4_000);
const numbering = 'Expected a whole number, 1 for the first phase';
const minutesMax = 60 * 24 * 30;

function planTool({ phases, inTurn, change }: Desk): Tool {
  return defineTool({
    name: 'plan',
    effect: 'read-only',
    description:
      'Set out the phases of a long task before you begin it. The first one begins at once; go on to each of the others ' +
      'with phase_start. Not needed for what takes a few steps.',
    parameters: z.object({
      phases: z
        .array(title)
        .min(1)
        .max(phasesMax)
        .describe('What each phase is about, in a few words, in order.'),
    }),
    run: ({ phases: planned }, { signal }) =>
      inTurn(async () => {
        const [description = ''] = planned;
        const number = nextPhase(phases());
        const total = number - 1 + planned.length;
        const problem = phaseProblem({ ...phases(), total }, number);
        if (problem !== null) return failure('invalid', problem);
        const list = planned.map((each, index) => `${number + index}. ${each}`).join('\n');
        const event = { type: 'phase-started', number, description, total } as const;
        return change(event, signal, `The plan is on record, and phase ${number} has begun.\n${list}`);
      }),
  });
}

function startTool({ phases, inTurn, tell, change }: Desk): Tool {
  return defineTool({
    name: 'phase_start',
    effect: 'read-only',
    description:
      'Begin a phase of a long task. The phase under way, if there is one, is completed by that as a success; ' +
      'if it failed, say so with phase_complete first.',
    parameters: z.object({
      description: title.describe('What the phase is about, in a few words.'),
      number: z
        .int(numbering)
        .min(1, numbering)
        .optional()
        .describe('Which phase; the next one if left out.'),
      total: z
        .int()
        .min(1)
        .max(phasesMax)
        .optional()
        .describe('How many phases there will be, as far as you can plan now.'),
      expectedMinutes: z
        .number()
        .positive()
        .max(minutesMax)
        .optional()
        .describe('How many minutes it should take.'),
    }),
    run: ({ description, number, total, expectedMinutes }, { signal }) =>
      inTurn(async () => {
        const { current } = phases();
        // The same words without a number are the same wish told twice.
        const same = current?.description === description ? current.number : undefined;
        const wanted = number ?? same ?? nextPhase(phases());
        const plan = total === undefined ? phases() : { ...phases(), total };
        const problem = phaseProblem(plan, wanted);
        if (problem !== null) return failure('invalid', problem);
        if (current?.number === wanted) return tell(`Phase ${wanted} is under way already.`);
        const event = {
          type: 'phase-started',
          number: wanted,
          description,
          ...(total === undefined ? {} : { total }),
          ...(expectedMinutes === undefined ? {} : { expectedMs: expectedMinutes * 60_000 }),
        } as const;
        return change(event, signal, `Phase ${wanted} has begun.`);
      }),
  });
}

function completeTool({ phases, inTurn, tell, change }: Desk): Tool {
  return defineTool({
    name: 'phase_complete',
    effect: 'read-only',
    description:
      'End the phase under way. Say whether it reached its aim, what came of it and what stood in the way.',
    parameters: z.object({
      success: z.boolean().describe('Whether it reached its aim.'),
      summary: words.describe('What came of it, in a sentence or two.'),
      blockers: z.array(words).max(20).optional().describe('What stood in the way, one thing each.'),
      number: z
        .int(numbering)
        .min(1, numbering)
        .optional()
        .describe('Which phase; the one under way if left out.'),
    }),
    run: ({ success, summary, blockers, number }, { signal }) =>
      inTurn(async () => {
        const { current, completed } = phases();
        const wanted = number ?? current?.number ?? completed.at(-1)?.number;
        if (wanted === undefined)
          return failure('invalid', 'No phase has begun. Begin one with phase_start.');
        if (current?.number === wanted) {
          const event = { type: 'phase-completed', success, summary, ...(blockers && { blockers }) } as const;
          return change(event, signal, `Phase ${wanted} ${success ? 'is done' : 'has failed'}.`);
        }
        const past = completed.find((phase) => phase.number === wanted);
        return past === undefined ? failure('invalid', notBegun(wanted, phases())) : tell(overAlready(past));
      }),
  });
}

function statusTool({ inTurn, tell }: Desk): Tool {
  return defineTool({
    name: 'phase_status',
    effect: 'read-only',
    description: 'See which phase is under way, which are over, and what was done in them.',
    parameters: z.object({}),
    run: () => inTurn(async () => tell('Nothing was changed.')),
  });
}

function notBegun(wanted: number, { current }: Phases): string {
  const now = current === null ? 'No phase is under way.' : `Phase ${current.number} is under way.`;
  return `Phase ${wanted} has not begun, so it cannot be completed. ${now}`;
}

function overAlready({ number, success }: PastPhase): string {
  return `Phase ${number} was over already; it ${success ? 'was a success' : 'failed'}.`;
}

/** How many of the phases on record a model is told of. */
const shownMax = 20;

function statusOf(phases: Phases, at: number): { readonly [name: string]: Json } {
  const { completed, current } = phases;
  const progress = phaseProgress(phases, at);
  return {
    now: phaseLine(progress),
    current: current === null ? null : { number: current.number, description: current.description },
    next: nextPhase(phases),
    over: completed.slice(-shownMax).map(({ number, description, success, summary }) => ({
      number,
      description,
      success,
      summary,
    })),
    totals: phaseTotals(phases),
  };
}
