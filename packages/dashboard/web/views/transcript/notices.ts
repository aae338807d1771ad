import type { Action, Event, EventType, Note, Response, Verdict } from '@pawl/core';
import { counted } from '../../app/format.ts';
import type { Tone } from '../../app/tones.ts';

/** A line between what was said and done: verdicts, phases, failures, what people asked for. */
export type Notice = Told & { readonly kind: 'notice'; readonly seq: number; readonly at: number };

type Told = {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  /** Where there is more to tell, the view that tells it. */
  readonly view: 'why' | 'memory' | null;
};

/** What came of an event, where it is worth a line. */
export function noteNotice(seq: number, note: Note): Notice | null {
  return asNotice(seq, note.at, noteTold(note));
}

/** What an event says that no message and no card tells. */
export function eventNotice(seq: number, event: Event): Notice | null {
  // The table guarantees that the teller under an event's type takes that event.
  const tell = tellers[event.type] as Teller<EventType> | undefined;
  return asNotice(seq, event.at, tell === undefined ? null : tell(event));
}

/** What the machine had to show, or why it stopped. */
export function actionNotice(seq: number, at: number, action: Action): Notice | null {
  if (action.type === 'show-error') {
    return asNotice(seq, at, told('halted', 'Error', `${action.kind}: ${action.message}`));
  }
  if (action.type !== 'stop') return null;
  const { kind, reason, rule } = action.why;
  const by = rule === null ? '' : ` (${rule})`;
  return asNotice(seq, at, told('halted', `Halted: ${kind}${by}`, reason, rule === null ? null : 'why'));
}

function asNotice(seq: number, at: number, what: Told | null): Notice | null {
  return what === null ? null : { kind: 'notice', seq, at, ...what };
}

function told(tone: Tone, title: string, text = '', view: Told['view'] = null): Told {
  return { tone, title, text, view };
}

function noteTold(note: Note): Told | null {
  switch (note.type) {
    case 'verdict':
      return verdictTold(note.verdict);
    case 'paged': {
      const { moved, freedTokens } = note;
      return told(
        'memory',
        `${counted(moved.length, 'entry', 'entries')} moved to storage`,
        `${freedTokens} tokens freed`,
        'memory',
      );
    }
    case 'mode':
      return note.from === note.to ? null : told('phase', `Mode ${note.from} → ${note.to}`, note.cause);
    case 'phase-started':
      return told('phase', `Phase ${note.number} begins`, note.description);
    case 'phase-completed':
      return note.success
        ? told('done', `Phase ${note.number} done`)
        : told('halted', `Phase ${note.number} failed`);
    case 'transition':
    case 'refused':
      return null;
    default:
      return note satisfies never;
  }
}

const deeds: Readonly<Record<Response['kind'], string>> = {
  advise: 'advises',
  refuse: 'refuses the call',
  run: 'runs a remedy',
  recover: 'looks for a way out',
  ask: 'asks you',
  finish: 'asks for the answer',
  halt: 'halts',
};

function verdictTold({ level, rule, reason, response }: Verdict): Told {
  const word = level === 'stuck' ? 'Stuck' : 'Suspect';
  return told('governor', `${word}: ${rule} · the governor ${deeds[response.kind]}`, reason, 'why');
}

type Teller<Type extends EventType> = (event: Extract<Event, { readonly type: Type }>) => Told;

const tellers: { readonly [Type in EventType]?: Teller<Type> } = {
  'model-failed': ({ error }) => told('recovery', `The model failed: ${error.kind}`, error.message),
  'hooks-failed': ({ message }) => told('recovery', 'Hooks failed', message),
  'paging-failed': ({ message }) => told('recovery', 'No room could be made', message),
  'paging-finished': ({ freedTokens }) =>
    told('memory', 'Room was made', `${freedTokens} tokens freed`, 'memory'),
  'memory-asked': ({ action, key }) => told('memory', `Asked to ${action} ${key}`, '', 'memory'),
  'recovery-finished': ({ outcome }) => told('recovery', `Recovery: ${outcome.kind}`),
  'finish-requested': ({ reason }) => told('done', 'Asked to finish', reason),
  'pause-requested': ({ reason }) => told('paused', 'Paused', reason),
  'resume-requested': () => told('paused', 'Resumed'),
  'cancel-requested': ({ reason }) => told('halted', 'Cancelled', reason),
  'halt-requested': ({ reason }) => told('halted', 'Asked to halt', reason),
  'shutdown-requested': () => told('check', 'Shut down'),
};
