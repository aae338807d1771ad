import type { Session, SessionOptions } from '../../src/index.ts';
import {
  permissionAllowed,
  withRequest,
  finishRequested,
  pagingRequested,
  failureOutcome,
  createCall,
  cancelRequested,
  permissionDenied,
  phaseCompleted,
  modelFailed,
  toolFinished,
  haltRequested,
  hooksFailed,
  hooksFinished,
  contextOverflowed,
  pagingFinished,
  pagingFailed,
  pauseRequested,
  modelReplied,
  toolProgressed,
  resumeRequested,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  phaseStarted,
  successOutcome,
  textDelta,
  callDelta,
} from '../helpers/event-builders.ts';
import { extendEvent, createServedScenario, createScenario, type LogScenario } from './log-scenario.ts';

export type SessionFactory = (profile: string, options?: Partial<SessionOptions>) => Session;

export function createTurnScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    ...createPlainScenarios(startSession),
    ...createPagingScenarios(startSession),
    ...createPhaseScenarios(startSession),
  ];
}

const editReply = modelReplied(
  'I change two files.',
  createCall('a', 'edit_file'),
  createCall('b', 'bash'),
  createCall('c'),
);

function createPlainScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario(
      'loom-turns',
      'Streaming, retries, calls side by side, hooks, a late answer, a cancel, the end.',
      startSession('loom'),
      [
        userMessage('What is here?'),
        textDelta('A fold'),
        callDelta('a', '{"path"'),
        modelReplied('A folder.'),
        userMessage('Tidy it.'),
        modelFailed({ kind: 'rate-limit', retryAfterMs: 5_000 }),
        retryDue(),
        modelFailed({ kind: 'network' }, 0.25),
        pauseRequested(),
        retryDue(),
        resumeRequested(),
        editReply,
        toolStarted('a'),
        toolProgressed('b', 'half'),
        toolStarted('b'),
        toolFinished('b', successOutcome({ code: 0 })),
        toolFinished('b', successOutcome('twice')),
        toolFinished('a', failureOutcome('no such text')),
        toolFinished('c'),
        hooksFailed('no commit', 0),
        pauseRequested(),
        resumeRequested(),
        retryDue(),
        hooksFinished(true),
        withRequest(1, modelReplied('far too late')),
        modelReplied('', createCall('d'), createCall('e')),
        toolStarted('d'),
        cancelRequested(),
        userMessage('Once more.'),
        modelFailed({ kind: 'auth', retryable: false }),
        userMessage('And again.'),
        modelFailed(),
        retryDue(),
        modelFailed(),
        retryDue(),
        modelFailed(),
        shutdownRequested(),
        userMessage('Anyone?'),
      ],
    ),
    createScenario(
      'pawl-permission',
      'Calls that are allowed, asked about and denied; pauses meanwhile.',
      startSession('pawl'),
      [
        userMessage(),
        modelReplied(
          '',
          createCall('a', 'bash', 'ask'),
          createCall('b', 'read', 'allow'),
          createCall('c', 'bash', 'deny'),
          createCall('d', 'edit', 'ask'),
        ),
        permissionAllowed('a'),
        pauseRequested('lunch'),
        permissionDenied('d', 'not this file'),
        toolFinished('b'),
        resumeRequested(),
        toolStarted('a'),
        toolFinished('a'),
        pauseRequested(),
        toolFinished('b'),
        resumeRequested(),
        hooksFinished(false),
        modelReplied(
          '',
          { tool: 'read', args: { path: 'x' } },
          { id: 'b', tool: 'read', args: null },
          createCall('b'),
        ),
        toolFinished('call_12_0'),
        cancelRequested(),
        userMessage('Ask me again.'),
        modelReplied('', createCall('e', 'bash', 'ask')),
        pauseRequested(),
        cancelRequested(),
        userMessage('Never mind.'),
        modelReplied('', createCall('f', 'bash', 'ask')),
        permissionDenied('f'),
        modelReplied('Then not.'),
        haltRequested('enough'),
        userMessage('Hello?'),
        shutdownRequested(),
      ],
    ),
    createScenario(
      'pawl-finish',
      'A wish to finish, calls skipped for it, a tool that ends the turn.',
      startSession('pawl'),
      [
        userMessage(),
        finishRequested('time is up'),
        modelReplied('', createCall('a'), createCall('b', 'edit')),
        modelReplied('What I have.', createCall('c')),
        userMessage('Go on.'),
        modelReplied('', createCall('d')),
        toolFinished('d', successOutcome('all done', true)),
        userMessage('And the rest?'),
        modelReplied('', createCall('e', 'write')),
        finishRequested('enough'),
        extendEvent(toolFinished('e'), {
          files: [{ path: 'e.txt', hash: '1' }],
          tests: { passed: 3, failed: 1 },
        }),
        hooksFinished(),
        modelFailed({ kind: 'timeout' }),
        retryDue(),
        modelReplied('That is all.'),
      ],
    ),
  ];
}

function createPagingScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const long = 'word '.repeat(60);
  const rounds = Array.from({ length: 6 }, (_, index) => [
    userMessage(`question ${index}: ${long}`),
    modelReplied('', createCall(`r${index}`)),
    toolFinished(`r${index}`, successOutcome(`answer ${index} ${long}`)),
    modelReplied(`reply ${index}`),
  ]).flat();
  return [
    createScenario(
      'pawl-paging',
      'A model without room: paging, a shorter conversation, paging that fails, paging on request.',
      startSession('pawl'),
      [
        ...rounds,
        userMessage('More.'),
        contextOverflowed(),
        pagingFinished(500),
        contextOverflowed(),
        pagingFailed('no disk', 0.5),
        retryDue(),
        pauseRequested(),
        pagingFinished(10),
        resumeRequested(),
        modelReplied('Now.'),
        pagingRequested('tidy up'),
        phaseStarted(1),
        pagingFinished(0),
        userMessage('Once more.'),
        contextOverflowed(),
        pagingFailed(),
        retryDue(),
        pagingFailed(),
        retryDue(),
        pagingFailed('still no disk'),
      ],
    ),
    createScenario(
      'pawl-window',
      'A window of known size: room is made before it is full.',
      startSession('pawl', { settings: { windowTokens: 900 } }),
      [
        ...rounds
          .slice(0, 8)
          .map((each) =>
            each.type === 'model-replied' ? { ...each, usage: { inputTokens: 300, outputTokens: 20 } } : each,
          ),
        userMessage('More.'),
        modelReplied('', createCall('z')),
        toolFinished('z', successOutcome(long.repeat(8))),
        pagingFinished(200),
        modelReplied('Done.'),
        userMessage(long.repeat(6)),
        pagingFinished(300),
        modelReplied('Done.'),
      ],
    ),
    ...Object.entries(scenarioBudgets).map(([name, limits]) =>
      createServedScenario(
        `pawl-budget-${name}`,
        'A budget runs out: a last answer, then the end.',
        startSession('pawl', { settings: { budgets: limits } }),
        {
          script: [
            userMessage(),
            ...['a', 'b', 'c', 'd', 'e'].map((id) => ({
              ...modelReplied('', createCall(id), createCall(`${id}${id}`)),
              usage: { inputTokens: 100, outputTokens: 20, cost: 0.5 },
            })),
            modelFailed({ kind: 'overloaded' }),
            modelReplied('As far as I came.'),
            userMessage('And?'),
          ],
          run: ({ id }) => toolFinished(id, successOutcome(`what ${id} says`)),
        },
      ),
    ),
  ];
}

const unlimitedBudget = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };
const scenarioBudgets = {
  calls: { ...unlimitedBudget, modelCalls: 5, toolCalls: 9 },
  tools: { ...unlimitedBudget, toolCalls: 5 },
  tokens: { ...unlimitedBudget, tokens: 700 },
  cost: { ...unlimitedBudget, cost: 2.4 },
  time: { ...unlimitedBudget, wallMs: 100 },
};

function createPhaseScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const halting = { totalPhases: 3, settings: { haltOnFailedPhase: true } };
  return [
    createScenario(
      'nexora-phases',
      'Three phases with files, tests and blockers; the last fails and ends the session.',
      startSession('nexora', halting),
      [
        extendEvent(phaseStarted(1), { expectedMs: 60_000, total: 4 }),
        userMessage('Begin.'),
        modelReplied('', createCall('a', 'edit')),
        extendEvent(toolFinished('a'), {
          files: [{ path: 'a.ts', hash: 'one' }],
          tests: { passed: 2, failed: 1 },
        }),
        hooksFinished(),
        modelReplied('', createCall('b')),
        extendEvent(phaseCompleted(true), { summary: 'two tests pass', blockers: ['the third'] }),
        phaseStarted(2),
        toolFinished('b'),
        userMessage('not now'),
        modelReplied('Next.'),
        phaseCompleted(true),
        phaseStarted(3, 'Mend the third test.'),
        phaseStarted(4, 'and the fourth'),
        modelReplied('', createCall('c', 'bash')),
        extendEvent(phaseCompleted(false), { blockers: ['no compiler'] }),
        toolFinished('c', failureOutcome('command not found', 'failed')),
        shutdownRequested(),
      ],
    ),
    createScenario(
      'nexora-cancel',
      'A phase fails in the midst of work, and the user cancels before the next check.',
      startSession('nexora', halting),
      [
        phaseStarted(1, 'Begin.'),
        modelReplied('', createCall('a')),
        toolStarted('a'),
        phaseCompleted(false),
        cancelRequested(),
        userMessage('Go on.'),
        phaseStarted(2),
        phaseCompleted(false),
        cancelRequested(),
        userMessage('Go on.'),
        phaseStarted(3),
        modelReplied('', createCall('b', 'bash', 'ask')),
        phaseCompleted(false),
        pauseRequested(),
        cancelRequested(),
        userMessage('And now?'),
        modelReplied('Done.'),
      ],
    ),
  ];
}
