import type { Call, Json, Outcome } from '../../src/index.ts';
import {
  asksToFinish,
  broke,
  call,
  cancels,
  finishes,
  judged,
  pauses,
  recovers,
  replies,
  resumes,
  says,
  shutsDown,
  startsPhase,
  worked,
} from '../helpers/happenings.ts';
import type { Happening } from '../helpers/tell.ts';
import { saying, serve, tale, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

/** A round of one call; what happens while it runs comes before it ends. */
function round(id: string, ...meanwhile: readonly Happening[]): readonly Happening[] {
  return [replies('', call(id)), ...meanwhile, finishes(id, worked(`what ${id} says`))];
}

export function verdictTales(begin: Begin): readonly Tale[] {
  return [
    tale(
      'verdicts',
      'A verdict of each kind that does not end the session.',
      begin('pawl', { settings: { maxRecoveries: 9 } }),
      [
        says(),
        ...round('a', judged('advise')),
        ...round('b', judged('refuse')),
        ...round('c', judged('run')),
        finishes('r'),
        ...round('d', judged({ kind: 'run', calls: [call('s', 'bash', 'ask'), call('t', 'bash', 'deny')] })),
        ...round('e', judged('recover'), judged('advise')),
        recovers({ kind: 'ask-model', advice: 'another way' }),
        ...round('f', judged('recover')),
        recovers({ kind: 'run-tools', calls: [call('u', 'edit'), call('v', 'bash', 'ask')] }),
        pauses(),
        finishes('u'),
        resumes(),
        { type: 'hooks-finished', actionTaken: true },
        ...round('g', judged({ kind: 'recover', waitMs: 5_000 })),
        startsPhase(1),
        recovers({ kind: 'check' }),
        ...round('h', judged('recover')),
        recovers({ kind: 'give-up', reason: 'nothing helps' }),
        says('Try once more.'),
        ...round('i', judged('ask')),
        says('Like this.'),
        ...round('j', judged('recover')),
        cancels(),
        shutsDown(),
      ],
    ),
    tale('verdict-finish', 'A verdict to finish: a last answer, then the session is over.', begin('nexora'), [
      says(),
      ...round('a', judged('finish'), asksToFinish('enough')),
      replies('What I have.'),
      says('More?'),
    ]),
    tale('verdict-halt', 'A verdict to halt in the middle of a call.', begin('pawl'), [
      says(),
      replies('', call('a'), call('b')),
      finishes('a'),
      judged('halt'),
      finishes('b'),
    ]),
    tale('recovery-halt', 'A recovery that ends the session.', begin('loom'), [
      says(),
      ...round('a', judged('recover')),
      recovers({ kind: 'halt', reason: 'it gets worse' }),
    ]),
    tale(
      'recovery-limit',
      'More recoveries than there may be.',
      begin('pawl', { settings: { maxRecoveries: 1 } }),
      [says(), ...round('a', judged('recover')), recovers(), ...round('b', judged('recover'))],
    ),
  ];
}

/** The same call again and again. */
function stubbornly(
  tool: string,
  args: { readonly [name: string]: Json },
  times: number,
): readonly Happening[] {
  return Array.from({ length: times }, (_, index) => replies('', { id: `${tool}${index}`, tool, args }));
}

/** A call ends as its tool always does. */
function ending(outcomes: { readonly [tool: string]: Outcome }): (call: Call) => Happening {
  return ({ id, tool }) => finishes(id, outcomes[tool] ?? worked('nothing found'));
}

export function governedTales(begin: Begin): readonly Tale[] {
  const attended = { settings: { governor: { preset: 'pawl', rules: {}, attended: true } } } as const;
  return [
    serve(
      'governor-failures',
      'The same call fails again and again: advice, a remedy, the end.',
      begin('pawl'),
      {
        script: [
          says(),
          replies('', { id: 's', tool: 'search', args: { query: 'shed' } }),
          ...stubbornly('read', { path: 'shed.txt' }, 8),
          says('Do not give up.'),
        ],
        run: ending({ read: broke('no such file') }),
      },
    ),
    serve('governor-refusals', 'What was refused is asked for again and again.', begin('pawl'), {
      script: [
        says(),
        ...stubbornly('fetch', { url: 'shed' }, 4),
        ...stubbornly('read', { path: 'a' }, 2),
        ...stubbornly('fetch', { url: 'shed' }, 6),
      ],
      run: ending({ fetch: broke('exit code 7') }),
    }),
    serve('governor-asks', 'Where somebody is there to ask, the governor asks.', begin('pawl', attended), {
      script: [
        says(),
        ...stubbornly('bash', { command: 'rm a' }, 4),
        says('Look elsewhere.'),
        ...stubbornly('read', { path: 'a' }, 9),
      ],
      run: ending({ bash: broke('permission denied') }),
    }),
    serve('governor-talk', 'A model that says the same over and over, and chants.', begin('pawl'), {
      script: [
        says(),
        ...Array.from({ length: 5 }, (_, index) =>
          replies('I look into the shed once more.', call(`t${index}`, 'read')),
        ),
        ...Array.from({ length: 4 }, () => replies('So. '.repeat(200))),
        says('Go on.'),
      ],
      run: ({ id }) => finishes(id, worked(`shelf ${id}`)),
    }),
    serve('governor-to-and-fro', 'A model that takes back what it did, and does it again.', begin('pawl'), {
      script: [
        says(),
        ...Array.from({ length: 8 }, (_, index) => {
          const [old_string = '', new_string = ''] = index % 2 === 0 ? ['red', 'green'] : ['green', 'red'];
          return replies('', { id: `e${index}`, tool: 'edit', args: { path: 'a', old_string, new_string } });
        }),
      ],
      run: ({ id, args }) => saying(finishes(id), { files: [{ path: 'a', hash: JSON.stringify(args) }] }),
    }),
    serve('nexora-stuck', 'The tracker of nexora finds the work stuck.', begin('nexora'), {
      script: [
        says(),
        ...stubbornly('edit', { path: 'main.go' }, 8),
        says('Go on.'),
        ...stubbornly('bash', { command: 'go test' }, 8),
      ],
      run: ending({ edit: broke('old_string not found'), bash: broke('exit code 1') }),
    }),
    serve(
      'nexora-lenient',
      'The lenient tracker, on work that moves and then does not.',
      begin('nexora', { settings: { governor: { preset: 'nexora-lenient', rules: {} } } }),
      {
        script: [
          says(),
          ...stubbornly('view', { path: 'main.go' }, 6),
          ...stubbornly('edit', { path: 'main.go' }, 9),
        ],
        run: ending({ edit: broke('old_string not found') }),
      },
    ),
  ];
}
