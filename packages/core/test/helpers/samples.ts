import { unpaused, type Session } from '../../src/index.ts';
import {
  asksToFinish,
  asksToPage,
  call,
  fails,
  finishes,
  halts,
  hooksFail,
  judged,
  overflows,
  pagingFails,
  pauses,
  replies,
  says,
  shutsDown,
  starts,
  startsPhase,
  writes,
} from './happenings.ts';
import { tell, type Happening, type Told } from './tell.ts';

const twoCalls = replies('', call('a'), call('b'));
const editing = [replies('', call('a', 'bash')), finishes('a')];

/** What happens to a session that is waiting until it is in the state of that name. */
const tales = {
  waitingForUser: [],
  'callingModel, fresh': [says()],
  'callingModel, streaming': [says(), writes()],
  'callingModel, finishing': [says(), asksToFinish(), replies('', call('a'))],
  'callingModel, with an agenda': [says(), startsPhase(2)],
  'awaitingPermission, two open': [
    says(),
    replies('', call('a', 'bash', 'ask'), call('b', 'read', 'ask'), call('c')),
  ],
  'awaitingPermission, one open': [says(), replies('', call('a', 'bash', 'ask'), call('c'))],
  'executingTools, pending': [says(), twoCalls],
  'executingTools, running': [says(), twoCalls, starts('a'), starts('b')],
  'executingTools, one left': [says(), twoCalls, starts('a'), finishes('b')],
  postToolsHook: [says(), ...editing],
  'errorRecovery, model': [says(), fails()],
  'errorRecovery, tool': [says(), replies('', call('a')), judged('recover'), finishes('a')],
  'errorRecovery, hooks': [says(), ...editing, hooksFail()],
  'errorRecovery, paging': [says(), overflows(), pagingFails()],
  'paging, for the model': [says(), overflows()],
  'paging, for the user': [asksToPage()],
} satisfies Record<string, readonly Happening[]>;

export type HeldName = keyof typeof tales;
export type EndedName = 'halted' | 'shuttingDown';
export type SampleName = HeldName | `paused, ${HeldName}` | EndedName;

export const heldNames: readonly HeldName[] = Object.keys(tales) as HeldName[];
export const endedNames: readonly EndedName[] = ['halted', 'shuttingDown'];
export const sampleNames: readonly SampleName[] = [
  ...heldNames,
  ...heldNames.map((name) => `paused, ${name}` as const),
  ...endedNames,
];

/** A session in the state of that name, reached by events alone from one that has waited, worked and waits again. */
export function sample(start: Session, name: SampleName): Told {
  const begun = tell(start, says('first'), replies('first answer'));
  if (name === 'halted') return tell(begun, says(), halts());
  if (name === 'shuttingDown') return tell(begun, says(), shutsDown());
  const isPaused = name.startsWith('paused, ');
  const held = (isPaused ? name.slice('paused, '.length) : name) as HeldName;
  const told = tell(begun, ...tales[held]);
  return isPaused ? tell(told, pauses()) : told;
}

/** The number of the request under way; 0, which no request has, when there is none. */
export function requestOf({ session }: Pick<Told, 'session'>): number {
  const turn = unpaused(session.turn);
  return 'request' in turn ? turn.request : 0;
}
