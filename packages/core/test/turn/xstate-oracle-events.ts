import type { Event, RequestedCall } from '../../src/session/event.ts';
import type { VerdictResponse } from '@pawl/governor';

/*
 * What the oracle's walks are made of: every event type, with each payload that decides a move. An event is said without
 * its time and request number; `xstate-oracle-walk.ts` adds both when it is played to `step`.
 */
type WithoutTimeAndRequest<One> = One extends Event ? Omit<One, 'at' | 'request'> : never;
export type OracleEvent = WithoutTimeAndRequest<Event>;

const readCall: RequestedCall = { id: 'a', tool: 'read', args: {} };
const editCall: RequestedCall = { id: 'b', tool: 'edit_file', args: {} };
const permissionCall: RequestedCall = { id: 'a', tool: 'bash', args: {}, permission: 'ask' };
const secondPermissionCall: RequestedCall = { id: 'b', tool: 'read', args: {}, permission: 'ask' };
const deniedCall: RequestedCall = { id: 'a', tool: 'bash', args: {}, permission: 'deny' };

export const oracleEvents: readonly OracleEvent[] = [
  { type: 'user-message', text: 'Go on.' },
  { type: 'steered', text: 'Not that.' },
  { type: 'text-delta', text: 'He' },
  { type: 'call-delta', callId: 'a', tool: 'read', fragment: '{' },
  ...[
    [],
    [readCall],
    [readCall, editCall],
    [permissionCall],
    [permissionCall, secondPermissionCall],
    [permissionCall, editCall],
    [deniedCall],
  ].map(createReply),
  { type: 'model-failed', error: { kind: 'network', message: 'gone' } },
  { type: 'model-failed', error: { kind: 'auth', message: 'no key', retryable: false } },
  { type: 'model-failed', error: { kind: 'rate-limit', message: 'tomorrow', retryAfterMs: 86_400_000 } },
  { type: 'model-failed', error: { kind: 'context-overflow', message: 'no room' } },
  ...['a', 'b'].flatMap(createCallEvents),
  { type: 'hooks-finished', actionTaken: true },
  { type: 'hooks-failed', message: 'no repository' },
  { type: 'retry-due' },
  { type: 'recovery-finished', outcome: { kind: 'ask-model' } },
  { type: 'recovery-finished', outcome: { kind: 'run-tools', calls: [editCall] } },
  { type: 'recovery-finished', outcome: { kind: 'run-tools', calls: [permissionCall] } },
  { type: 'recovery-finished', outcome: { kind: 'check' } },
  { type: 'recovery-finished', outcome: { kind: 'give-up', reason: 'nothing helps' } },
  { type: 'recovery-finished', outcome: { kind: 'halt', reason: 'it gets worse' } },
  { type: 'paging-requested', reason: 'tidy up' },
  { type: 'paging-finished', freedTokens: 100 },
  { type: 'paging-failed', message: 'disk full' },
  { type: 'memory-command-requested', action: 'evict', key: 'plan' },
  { type: 'memory-command-requested', action: 'pin', key: 'plan' },
  { type: 'phase-started', number: 1, description: 'The first' },
  { type: 'phase-started', number: 1, description: 'The first', message: 'Begin.' },
  { type: 'phase-completed', success: true },
  { type: 'phase-completed', success: false },
  ...listVerdictResponses().map(createVerdictEvent),
  { type: 'finish-requested', reason: 'time is up' },
  { type: 'pause-requested', reason: 'low on memory' },
  { type: 'resume-requested' },
  { type: 'cancel-requested' },
  { type: 'halt-requested', reason: 'enough' },
  { type: 'shutdown-requested' },
];

function createReply(calls: readonly RequestedCall[]): OracleEvent {
  return { type: 'model-replied', text: 'So.', calls };
}

function createCallEvents(callId: string): readonly OracleEvent[] {
  return [
    { type: 'permission-decided', callId, decision: 'allow' },
    { type: 'permission-decided', callId, decision: 'deny' },
    { type: 'tool-started', callId },
    { type: 'tool-progressed', callId, progress: 'half' },
    { type: 'tool-finished', callId, outcome: { ok: true, output: null } },
    { type: 'tool-finished', callId, outcome: { ok: true, output: null, final: true } },
    { type: 'tool-finished', callId, outcome: { ok: false, error: { kind: 'failed', message: 'no' } } },
  ];
}

function listVerdictResponses(): readonly VerdictResponse[] {
  return [
    { kind: 'advise' },
    { kind: 'run', calls: [readCall] },
    { kind: 'run', calls: [deniedCall] },
    { kind: 'recover' },
    { kind: 'ask' },
    { kind: 'stop' },
    { kind: 'halt' },
  ];
}

function createVerdictEvent(response: VerdictResponse): OracleEvent {
  return {
    type: 'verdict-reached',
    verdict: {
      severity: 'stop',
      rule: 'r',
      reason: 'round and round',
      advice: 'stop',
      evidence: [1],
      response,
    },
  };
}
