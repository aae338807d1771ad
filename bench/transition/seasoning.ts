import { createSession, eventTypes, step, type Event, type EventType, type Session } from '@pawl/core';

/** An event without its type and time. */
type Content<Type extends EventType> = Omit<Extract<Event, { readonly type: Type }>, 'type' | 'at'>;

const verdict = { level: 'stuck', rule: 'loop', reason: 'again', advice: 'stop', evidence: [1] } as const;

/** One of each. */
const samples: { readonly [Type in EventType]: Content<Type> } = {
  'user-message': { text: 'Go on.' },
  steered: { text: 'Not that.' },
  'text-delta': { text: 'W' },
  'call-delta': { callId: 'a', tool: 'edit', fragment: '{' },
  'model-replied': {
    text: '',
    calls: [{ id: 'a', tool: 'edit', args: {}, permission: 'ask' }],
    usage: { inputTokens: 1, outputTokens: 1 },
  },
  'model-failed': { error: { kind: 'network', message: 'gone' } },
  'permission-decided': { callId: 'a', decision: 'allow' },
  'tool-started': { callId: 'a' },
  'tool-progressed': { callId: 'a', progress: 'half' },
  'tool-finished': { callId: 'a', outcome: { ok: true, output: '' } },
  'hooks-finished': { actionTaken: false },
  'hooks-failed': { message: 'no disk' },
  'retry-due': {},
  'recovery-finished': { outcome: { kind: 'check' } },
  'paging-requested': { reason: 'full' },
  'paging-finished': { freedTokens: 1 },
  'paging-failed': { message: 'no room' },
  'memory-asked': { action: 'pin', key: 'plan' },
  'phase-started': { number: 1, description: 'first' },
  'phase-completed': { success: true },
  'verdict-reached': { verdict: { ...verdict, response: { kind: 'recover' } } },
  'finish-requested': { reason: 'enough' },
  'pause-requested': { reason: 'lunch' },
  'resume-requested': {},
  'cancel-requested': {},
  'halt-requested': { reason: 'enough' },
  'shutdown-requested': {},
};

const steps = 100_000;

/**
 * Takes Pawl through every kind of event in every state it comes by. Until then the engine has seen nothing but ordinary
 * turns and has compiled the machine for those alone; a process that has been up for a day has seen more.
 */
export function seasonPawl(): void {
  let session: Session = createSession({ id: 'seasoning', at: 0 });
  let dice = 1;
  for (let at = 0; at < steps; at += 1) {
    // A generator of numbers that is the same in every run (Lehmer's, with the modulus 2^31 - 1).
    dice = (dice * 48_271) % 2_147_483_647;
    const type = eventTypes[dice % eventTypes.length] ?? 'user-message';
    const { status } = session.turn;
    const ended = status === 'halted' || status === 'shuttingDown';
    if (ended) session = createSession({ id: 'seasoning', at });
    session = step(session, { type, at, ...samples[type] } as Event).session;
  }
}
