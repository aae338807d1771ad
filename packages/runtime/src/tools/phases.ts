import type { Json, ToolOutcome } from '@pawl/core';
import {
  getNextPhaseNumber,
  formatPhaseLine,
  findPhaseProblem,
  computePhaseProgress,
  defaultPhasesMax,
  computePhaseTotals,
  type PastPhase,
  type PhaseState,
} from '@pawl/core/phases';
import * as z from 'zod';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import type { EventPoster, UnstampedEvent } from '../ports/agent-ports.ts';
import { createSerialRunner } from '../platform/serial-runner.ts';
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
  const context = createPhaseToolContext(options);
  return [
    createPlanTool(context),
    createPhaseStartTool(context),
    createPhaseCompleteTool(context),
    createPhaseStatusTool(context),
  ];
}

/** The state that the tools share. */
type PhaseToolContext = {
  readonly phases: () => PhaseState;
  /** Runs tasks one after the other. */
  readonly runExclusive: (task: () => Promise<ToolOutcome>) => Promise<ToolOutcome>;
  /** Returns a result with a message and the current progress. */
  readonly createStatusResult: (message: string) => ToolOutcome;
  readonly change: (event: UnstampedEvent, signal: AbortSignal, message: string) => Promise<ToolOutcome>;
};

function createPhaseToolContext({ post, phases, clock = systemClock }: PhaseToolsOptions): PhaseToolContext {
  const createStatusResult = (message: string): ToolOutcome => ({
    ok: true,
    output: { what: message, ...buildPhaseStatus(phases(), clock.now()) },
  });
  return {
    phases,
    createStatusResult,
    runExclusive: createSerialRunner(),
    async change(event, signal, message) {
      if (signal.aborted) return createToolFailure('cancelled', 'The phase change was cancelled.');
      return (await post(event))
        ? createStatusResult(message)
        : createToolFailure('failed', phaseRejectedText);
    },
  };
}

const phaseRejectedText = 'The session rejected the phase change. Use phase_status to see the current phase.';

/** Matches the length limit of phase records; a summary may be longer, and the record truncates it. */
const titleSchema = z.string().trim().min(1).max(500);
const summarySchema = z.string().trim().min(1).max(4_000);
const phaseNumberHint = 'Expected an integer, 1 for the first phase';
const minutesMax = 60 * 24 * 30;

function createPlanTool({ phases, runExclusive, change }: PhaseToolContext): Tool {
  return defineTool({
    name: 'plan',
    effect: 'read-only',
    description:
      'Plan the phases of a long task before you start it. The first phase starts at once; start each of the others ' +
      'with phase_start. Not needed for a task of a few steps.',
    parameters: z.object({
      phases: z
        .array(titleSchema)
        .min(1)
        .max(defaultPhasesMax)
        .describe('A short description of each phase, in order.'),
    }),
    run: ({ phases: planned }, { signal }) =>
      runExclusive(async () => {
        const [description = ''] = planned;
        const number = getNextPhaseNumber(phases());
        const total = number - 1 + planned.length;
        const problem = findPhaseProblem({ ...phases(), total }, number);
        if (problem !== null) return createToolFailure('invalid', problem);
        const list = planned.map((each, index) => `${number + index}. ${each}`).join('\n');
        const event = { type: 'phase-started', number, description, total } as const;
        return change(event, signal, `The plan is recorded, and phase ${number} has started.\n${list}`);
      }),
  });
}

function createPhaseStartTool({ phases, runExclusive, createStatusResult, change }: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_start',
    effect: 'read-only',
    description:
      'Start a phase of a long task. The current phase, if there is one, is completed as a success; ' +
      'if it failed, call phase_complete first.',
    parameters: z.object({
      description: titleSchema.describe('A short description of the phase.'),
      number: z
        .int(phaseNumberHint)
        .min(1, phaseNumberHint)
        .optional()
        .describe('Number of the phase; defaults to the next one.'),
      total: z
        .int()
        .min(1)
        .max(defaultPhasesMax)
        .optional()
        .describe('Planned number of phases, as far as you know now.'),
      expectedMinutes: z
        .number()
        .positive()
        .max(minutesMax)
        .optional()
        .describe('Expected duration in minutes.'),
    }),
    run: ({ description, number, total, expectedMinutes }, { signal }) =>
      runExclusive(async () => {
        const { current } = phases();
        // The same description without a number is a repeated request for the same phase.
        const same = current?.description === description ? current.number : undefined;
        const target = number ?? same ?? getNextPhaseNumber(phases());
        const plan = total === undefined ? phases() : { ...phases(), total };
        const problem = findPhaseProblem(plan, target);
        if (problem !== null) return createToolFailure('invalid', problem);
        if (current?.number === target) return createStatusResult(`Phase ${target} is already in progress.`);
        const event = {
          type: 'phase-started',
          number: target,
          description,
          ...(total === undefined ? {} : { total }),
          ...(expectedMinutes === undefined ? {} : { expectedMs: expectedMinutes * 60_000 }),
        } as const;
        return change(event, signal, `Phase ${target} has started.`);
      }),
  });
}

function createPhaseCompleteTool({
  phases,
  runExclusive,
  createStatusResult,
  change,
}: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_complete',
    effect: 'read-only',
    description: 'Complete the current phase. Report whether it succeeded, its outcome and its blockers.',
    parameters: z.object({
      success: z.boolean().describe('Whether the phase achieved its goal.'),
      summary: summarySchema.describe('The outcome, in one or two sentences.'),
      blockers: z.array(summarySchema).max(20).optional().describe('The blockers, one per item.'),
      number: z
        .int(phaseNumberHint)
        .min(1, phaseNumberHint)
        .optional()
        .describe('Number of the phase; defaults to the current one.'),
    }),
    run: ({ success, summary, blockers, number }, { signal }) =>
      runExclusive(async () => {
        const { current, completed } = phases();
        const target = number ?? current?.number ?? completed.at(-1)?.number;
        if (target === undefined)
          return createToolFailure('invalid', 'No phase has started. Start one with phase_start.');
        if (current?.number === target) {
          const event = { type: 'phase-completed', success, summary, ...(blockers && { blockers }) } as const;
          return change(event, signal, `Phase ${target} ${success ? 'is done' : 'has failed'}.`);
        }
        const past = completed.find((phase) => phase.number === target);
        return past === undefined
          ? createToolFailure('invalid', describeNotStarted(target, phases()))
          : createStatusResult(describeCompletedPhase(past));
      }),
  });
}

function createPhaseStatusTool({ runExclusive, createStatusResult }: PhaseToolContext): Tool {
  return defineTool({
    name: 'phase_status',
    effect: 'read-only',
    description: 'Show the current phase, the completed phases, and what was done in them.',
    parameters: z.object({}),
    run: () => runExclusive(async () => createStatusResult('Nothing was changed.')),
  });
}

function describeNotStarted(target: number, { current }: PhaseState): string {
  const now = current === null ? 'No phase is in progress.' : `Phase ${current.number} is in progress.`;
  return `Phase ${target} has not started, so it cannot be completed. ${now}`;
}

function describeCompletedPhase({ number, success }: PastPhase): string {
  return `Phase ${number} was already completed; it ${success ? 'succeeded' : 'failed'}.`;
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
