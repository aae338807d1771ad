import { createSession, eventTypes, step, type Event, type EventType, type Session } from '@pawl/core';

type EventContent<Type extends EventType> = Omit<Extract<Event, { readonly type: Type }>, 'type' | 'at'>;

const verdict = { severity: 'stop', rule: 'loop', reason: 'again', advice: 'stop', evidence: [1] } as const;

/** One event of each type. */
const warmUpEvents: { readonly [Type in EventType]: EventContent<Type> } = {
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
  'memory-command-requested': { action: 'pin', key: 'plan' },
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
 * Sends Pawl every type of event in every state it reaches. Before that, the engine has compiled the machine only for
 * ordinary turns; a long-running process has seen more.
 */
export function warmUpPawl(): void {
  let session: Session = createSession({ id: 'seasoning', at: 0 });
  let randomState = 1;
  for (let at = 0; at < steps; at += 1) {
    // A deterministic random number generator (Lehmer, modulus 2^31 - 1).
    randomState = (randomState * 48_271) % 2_147_483_647;
    const type = eventTypes[randomState % eventTypes.length] ?? 'user-message';
    const { status } = session.turn;
    const ended = status === 'halted' || status === 'shuttingDown';
    if (ended) session = createSession({ id: 'seasoning', at });
    session = step(session, { type, at, ...warmUpEvents[type] } as Event).session;
  }
}
