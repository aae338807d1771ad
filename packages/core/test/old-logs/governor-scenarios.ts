import type { ToolCall, Json, ToolOutcome } from '../../src/index.ts';
import {
  finishRequested,
  failureOutcome,
  createCall,
  cancelRequested,
  toolFinished,
  verdictReached,
  pauseRequested,
  recoveryFinished,
  modelReplied,
  resumeRequested,
  userMessage,
  shutdownRequested,
  phaseStarted,
  successOutcome,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { extendEvent, createServedScenario, createScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

/** A round of one call; what happens while it runs comes before it ends. */
function createToolRound(id: string, ...meanwhile: readonly UntimedEvent[]): readonly UntimedEvent[] {
  return [
    modelReplied('', createCall(id)),
    ...meanwhile,
    toolFinished(id, successOutcome(`what ${id} says`)),
  ];
}

export function createVerdictScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario(
      'verdicts',
      'A verdict of each kind that does not end the session.',
      startSession('pawl', { settings: { maxRecoveries: 9 } }),
      [
        userMessage(),
        ...createToolRound('a', verdictReached('advise')),
        ...createToolRound('b', verdictReached('block')),
        ...createToolRound('c', verdictReached('run')),
        toolFinished('r'),
        ...createToolRound(
          'd',
          verdictReached({
            kind: 'run',
            calls: [createCall('s', 'bash', 'ask'), createCall('t', 'bash', 'deny')],
          }),
        ),
        ...createToolRound('e', verdictReached('recover'), verdictReached('advise')),
        recoveryFinished({ kind: 'ask-model', advice: 'another way' }),
        ...createToolRound('f', verdictReached('recover')),
        recoveryFinished({
          kind: 'run-tools',
          calls: [createCall('u', 'edit'), createCall('v', 'bash', 'ask')],
        }),
        pauseRequested(),
        toolFinished('u'),
        resumeRequested(),
        { type: 'hooks-finished', actionTaken: true },
        ...createToolRound('g', verdictReached({ kind: 'recover', waitMs: 5_000 })),
        phaseStarted(1),
        recoveryFinished({ kind: 'check' }),
        ...createToolRound('h', verdictReached('recover')),
        recoveryFinished({ kind: 'give-up', reason: 'nothing helps' }),
        userMessage('Try once more.'),
        ...createToolRound('i', verdictReached('ask')),
        userMessage('Like this.'),
        ...createToolRound('j', verdictReached('recover')),
        cancelRequested(),
        shutdownRequested(),
      ],
    ),
    createScenario(
      'verdict-finish',
      'A verdict to finish: a last answer, then the session is over.',
      startSession('nexora'),
      [
        userMessage(),
        ...createToolRound('a', verdictReached('stop'), finishRequested('enough')),
        modelReplied('What I have.'),
        userMessage('More?'),
      ],
    ),
    createScenario('verdict-halt', 'A verdict to halt in the middle of a call.', startSession('pawl'), [
      userMessage(),
      modelReplied('', createCall('a'), createCall('b')),
      toolFinished('a'),
      verdictReached('halt'),
      toolFinished('b'),
    ]),
    createScenario('recovery-halt', 'A recovery that ends the session.', startSession('loom'), [
      userMessage(),
      ...createToolRound('a', verdictReached('recover')),
      recoveryFinished({ kind: 'halt', reason: 'it gets worse' }),
    ]),
    createScenario(
      'recovery-limit',
      'More recoveries than there may be.',
      startSession('pawl', { settings: { maxRecoveries: 1 } }),
      [
        userMessage(),
        ...createToolRound('a', verdictReached('recover')),
        recoveryFinished(),
        ...createToolRound('b', verdictReached('recover')),
      ],
    ),
  ];
}

/** The same call again and again. */
function repeatCall(
  tool: string,
  args: { readonly [name: string]: Json },
  times: number,
): readonly UntimedEvent[] {
  return Array.from({ length: times }, (_, index) => modelReplied('', { id: `${tool}${index}`, tool, args }));
}

/** A call ends as its tool always does. */
function answerByTool(outcomes: { readonly [tool: string]: ToolOutcome }): (call: ToolCall) => UntimedEvent {
  return ({ id, tool }) => toolFinished(id, outcomes[tool] ?? successOutcome('nothing found'));
}

export function createGovernedScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const attended = { settings: { governor: { preset: 'pawl', rules: {}, attended: true } } } as const;
  return [
    createServedScenario(
      'governor-failures',
      'The same call fails again and again: advice, a remedy, the end.',
      startSession('pawl'),
      {
        script: [
          userMessage(),
          modelReplied('', { id: 's', tool: 'search', args: { query: 'shed' } }),
          ...repeatCall('read', { path: 'shed.txt' }, 8),
          userMessage('Do not give up.'),
        ],
        run: answerByTool({ read: failureOutcome('no such file') }),
      },
    ),
    createServedScenario(
      'governor-refusals',
      'What was refused is asked for again and again.',
      startSession('pawl'),
      {
        script: [
          userMessage(),
          ...repeatCall('fetch', { url: 'shed' }, 4),
          ...repeatCall('read', { path: 'a' }, 2),
          ...repeatCall('fetch', { url: 'shed' }, 6),
        ],
        run: answerByTool({ fetch: failureOutcome('exit code 7') }),
      },
    ),
    createServedScenario(
      'governor-asks',
      'Where somebody is there to ask, the governor asks.',
      startSession('pawl', attended),
      {
        script: [
          userMessage(),
          ...repeatCall('bash', { command: 'rm a' }, 4),
          userMessage('Look elsewhere.'),
          ...repeatCall('read', { path: 'a' }, 9),
        ],
        run: answerByTool({ bash: failureOutcome('permission denied') }),
      },
    ),
    createServedScenario(
      'governor-talk',
      'A model that says the same over and over, and chants.',
      startSession('pawl'),
      {
        script: [
          userMessage(),
          ...Array.from({ length: 5 }, (_, index) =>
            modelReplied('I look into the shed once more.', createCall(`t${index}`, 'read')),
          ),
          ...Array.from({ length: 4 }, () => modelReplied('So. '.repeat(200))),
          userMessage('Go on.'),
        ],
        run: ({ id }) => toolFinished(id, successOutcome(`shelf ${id}`)),
      },
    ),
    createServedScenario(
      'governor-to-and-fro',
      'A model that takes back what it did, and does it again.',
      startSession('pawl'),
      {
        script: [
          userMessage(),
          ...Array.from({ length: 8 }, (_, index) => {
            const [old_string = '', new_string = ''] = index % 2 === 0 ? ['red', 'green'] : ['green', 'red'];
            return modelReplied('', {
              id: `e${index}`,
              tool: 'edit',
              args: { path: 'a', old_string, new_string },
            });
          }),
        ],
        run: ({ id, args }) =>
          extendEvent(toolFinished(id), { files: [{ path: 'a', hash: JSON.stringify(args) }] }),
      },
    ),
    createServedScenario(
      'nexora-stuck',
      'The tracker of nexora finds the work stuck.',
      startSession('nexora'),
      {
        script: [
          userMessage(),
          ...repeatCall('edit', { path: 'main.go' }, 8),
          userMessage('Go on.'),
          ...repeatCall('bash', { command: 'go test' }, 8),
        ],
        run: answerByTool({
          edit: failureOutcome('old_string not found'),
          bash: failureOutcome('exit code 1'),
        }),
      },
    ),
    createServedScenario(
      'nexora-lenient',
      'The lenient tracker, on work that moves and then does not.',
      startSession('nexora', { settings: { governor: { preset: 'nexora-lenient', rules: {} } } }),
      {
        script: [
          userMessage(),
          ...repeatCall('view', { path: 'main.go' }, 6),
          ...repeatCall('edit', { path: 'main.go' }, 9),
        ],
        run: answerByTool({ edit: failureOutcome('old_string not found') }),
      },
    ),
  ];
}
