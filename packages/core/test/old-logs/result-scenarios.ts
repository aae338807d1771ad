import type { Json } from '../../src/index.ts';
import {
  failureOutcome,
  successOutcome,
  toolFinished,
  modelReplied,
  userMessage,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { createScenario, extendEvent, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

/** One call of a shell with its output. */
function createCommandRound(id: string, command: string, finished: UntimedEvent): readonly UntimedEvent[] {
  const args: { readonly [name: string]: Json } = { command };
  return [modelReplied('', { id, tool: 'shell', args }), finished];
}

/** Results that say more than their mark: failures, empty answers, waiting, and headers of hosts. */
export function createResultScenarios(begin: SessionFactory): readonly LogScenario[] {
  return [
    createScenario('5-results-unmarked', 'Commands fail, and only their output says so.', begin('pawl'), [
      userMessage('Build it.'),
      ...[1, 2, 3, 4].flatMap((line) =>
        createCommandRound(
          `c${line}`,
          'javac Main.java',
          toolFinished(`c${line}`, successOutcome(`bash: line ${line}: javac: command not found`)),
        ),
      ),
    ]),
    createScenario('5-results-headers', 'Equal results have different headers.', begin('pawl'), [
      userMessage('Look.'),
      ...[1, 2, 3, 4].flatMap((chunk) =>
        createCommandRound(
          `c${chunk}`,
          'ls',
          toolFinished(
            `c${chunk}`,
            successOutcome(
              `Chunk ID: 4d1${chunk}\nWall time: 0.${chunk} seconds\nProcess exited with code 0\nOutput:\na b`,
            ),
          ),
        ),
      ),
    ]),
    createScenario(
      '5-results-answers',
      'Marked errors that are answers, and a failure that the caller judged itself.',
      begin('pawl'),
      [
        userMessage('Look.'),
        ...createCommandRound('a', 'grep -r x src', toolFinished('a', failureOutcome(''))),
        ...createCommandRound('b', 'fetch', toolFinished('b', failureOutcome('429: retry after 5 s'))),
        ...createCommandRound(
          'c',
          'make',
          extendEvent(toolFinished('c', successOutcome('make: *** [all] Error 2')), { judged: true }),
        ),
      ],
    ),
  ];
}
