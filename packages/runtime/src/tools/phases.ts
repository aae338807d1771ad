import {
  getNextPhaseNumber,
  formatPhaseLine,
  findPhaseProblem,
  computePhaseProgress,
  defaultPhasesMax,
  computePhaseTotals,
  type Json,
  type ToolOutcome,
  type PastPhase,
  type PhaseState,
} from '@pawl/core';
import * as z from 'zod';
import { systemClock, type RuntimeClock } from '../clock.ts';
import type { EventPoster, UnstampedEvent } from '../agent-dependencies.ts';
import type { Tool } from './tool.ts';
import { defineTool, createToolFailure } from './tool.ts';

export type PhaseToolsOptions = {
  readonly post: EventPoster;
  /** Returns the session's current phases. */
  readonly phases: () => PhaseState;
  readonly clock?: Pick<RuntimeClock, 'now'>;
};

/**
 * Tools with which a model divides its work into phases. Concurrent calls run one after the other, and a call that
 * requests the current state changes nothing, because a change of phase resets the governor.
 */
export function createPhaseTools(options: PhaseToolsOptions): readonly Tool[] {
  const desk = createPhaseToolContext(options);
  return [
    createPlanTool(desk),
    createPhaseStartTool(desk),
    createPhaseCompleteTool(desk),
    createPhaseStatusTool(desk),
  ];
}

/** The state that the tools share. */
type PhaseToolContext = {
  readonly phases: () => PhaseState;
  /** Runs tasks one after the other. */
  readonly inTurn: (work: () => Promise<ToolOutcome>) => Promise<ToolOutcome>;
  /** Returns a result with a message and the current progress. */
  readonly tell: (what: string) => ToolOutcome;
  readonly change: (event: UnstampedEvent, signal: AbortSignal, what: string) => Promise<ToolOutcome>;
};

function createPhaseToolContext({ post, phases, clock = systemClock }: PhaseToolsOptions): PhaseToolContext {
  let last: Promise<unknown> = Promise.resolve();
  const tell = (what: string): ToolOutcome => ({
    ok: true,
    output: { what, ...buildPhaseStatus(phases(), clock.now()) },
  });
  return {
    phases,
    tell,
    inTurn(work) {
      const result = last.then(work);
      // A failed task does not block the next one.
      last = result.catch(() => undefined);
      return result;
    },
    async change(event, signal, what) {
      if (signal.aborted) return createToolFailure('cancelled', 'The change of phase was called off.');
      return (await post(event)) ? tell(what) : createToolFailure('failed', phaseRejectedText);
    },
  };
}

const phaseRejectedText =
  'The session did not take the change of phase. Use phase_status to see where it is.';

/** Matches the length limit of phase records; a summary may be longer, and the record truncates it. */
const titleSchema = z.string().trim().min(1).max(500);
const summarySchema = z.string().trim().min(1).max(4_000);
const phaseNumberHint = 'Expected a whole number, 1 for the first phase';
const minutesMax = 60 * 24 * 30;

function createPlanTool({ phases, inTurn, change }: PhaseToolContext): Tool {
  return defineTool({
    name: 'plan',
    effect: 'read-only',
    description:
      'Set out the phases of a long task before you begin it. The first one begins at once; go on to each of the others ' +
      'with phase_start. Not needed for what takes a few steps.',
    parameters: z.object({
      phases: z
        .array(titleSchema)
        .min(1)
        .max(defaultPhasesMax)
        .describe('What each phase is about, in a few words, in order.'),
    }),
    run: ({ phases: planned }, { signal }) =>
      inTurn(async () => {
        const [description = ''] = planned;
        const number = getNextPhaseNumber(phases());
        const total = number - 1 + planned.length;
        const problem = findPhaseProblem({ ...phases(), total }, number);
        if (problem !== null) return createToolFailure('invalid', problem);
        const list = planned.map((each, index) => `${number + index}. ${each}`).join('\n');
        const event = { type: 'phase-started', number, description, total } as const;
        return change(event, signal, `The plan is on record, and phase ${number} has begun.\n${list}`);
      }),
  });
}

function createPhaseStartTool({ phases, inTurn, tell, change }: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_start',
    effect: 'read-only',
    description:
      'Begin a phase of a long task. The phase under way, if there is one, is completed by that as a success; ' +
      'if it failed, say so with phase_complete first.',
    parameters: z.object({
      description: titleSchema.describe('What the phase is about, in a few words.'),
      number: z
        .int(phaseNumberHint)
        .min(1, phaseNumberHint)
        .optional()
        .describe('Which phase; the next one if left out.'),
      total: z
        .int()
        .min(1)
        .max(defaultPhasesMax)
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
        // The same description without a number is a repeated request for the same phase.
        const same = current?.description === description ? current.number : undefined;
        const wanted = number ?? same ?? getNextPhaseNumber(phases());
        const plan = total === undefined ? phases() : { ...phases(), total };
        const problem = findPhaseProblem(plan, wanted);
        if (problem !== null) return createToolFailure('invalid', problem);
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

function createPhaseCompleteTool({ phases, inTurn, tell, change }: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_complete',
    effect: 'read-only',
    description:
      'End the phase under way. Say whether it reached its aim, what came of it and what stood in the way.',
    parameters: z.object({
      success: z.boolean().describe('Whether it reached its aim.'),
      summary: summarySchema.describe('What came of it, in a sentence or two.'),
      blockers: z.array(summarySchema).max(20).optional().describe('What stood in the way, one thing each.'),
      number: z
        .int(phaseNumberHint)
        .min(1, phaseNumberHint)
        .optional()
        .describe('Which phase; the one under way if left out.'),
    }),
    run: ({ success, summary, blockers, number }, { signal }) =>
      inTurn(async () => {
        const { current, completed } = phases();
        const wanted = number ?? current?.number ?? completed.at(-1)?.number;
        if (wanted === undefined)
          return createToolFailure('invalid', 'No phase has begun. Begin one with phase_start.');
        if (current?.number === wanted) {
          const event = { type: 'phase-completed', success, summary, ...(blockers && { blockers }) } as const;
          return change(event, signal, `Phase ${wanted} ${success ? 'is done' : 'has failed'}.`);
        }
        const past = completed.find((phase) => phase.number === wanted);
        return past === undefined
          ? createToolFailure('invalid', describeNotStarted(wanted, phases()))
          : tell(describeCompletedPhase(past));
      }),
  });
}

function createPhaseStatusTool({ inTurn, tell }: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_status',
    effect: 'read-only',
    description: 'See which phase is under way, which are over, and what was done in them.',
    parameters: z.object({}),
    run: () => inTurn(async () => tell('Nothing was changed.')),
  });
}

function describeNotStarted(wanted: number, { current }: PhaseState): string {
  const now = current === null ? 'No phase is under way.' : `Phase ${current.number} is under way.`;
  return `Phase ${wanted} has not begun, so it cannot be completed. ${now}`;
}

function describeCompletedPhase({ number, success }: PastPhase): string {
  return `Phase ${number} was over already; it ${success ? 'was a success' : 'failed'}.`;
}

/** Maximum number of completed phases shown to the model. */
const listedPhasesMax = 20;

function buildPhaseStatus(phases: PhaseState, at: number): { readonly [name: string]: Json } {
  const { completed, current } = phases;
  const progress = computePhaseProgress(phases, at);
  return {
    now: formatPhaseLine(progress),
    current: current === null ? null : { number: current.number, description: current.description },
    next: getNextPhaseNumber(phases),
    over: completed.slice(-listedPhasesMax).map(({ number, description, success, summary }) => ({
      number,
      description,
      success,
      summary,
    })),
    totals: computePhaseTotals(phases),
  };
}
