import type { EventType } from '@pawl/core';
import type { EventOf } from './events.ts';

const at = Date.UTC(2026, 0, 1, 9);

/** One example of each event. They tell of one small piece of work, so requests and calls fit each other. */
export const eventExamples: { readonly [Type in EventType]: EventOf<Type> } = {
  'user-message': { type: 'user-message', at, text: 'Make the test in sum.test.ts pass.' },
  'text-delta': { type: 'text-delta', at: at + 900, request: 1, text: 'The sum starts' },
  'call-delta': {
    type: 'call-delta',
    at: at + 950,
    request: 1,
    callId: 'call_1',
    tool: 'edit',
    fragment: '{"path":"su',
  },
  'model-replied': {
    type: 'model-replied',
    at: at + 1_200,
    request: 1,
    text: 'The sum starts at one.',
    calls: [
      { id: 'call_1', tool: 'edit', args: { path: 'sum.ts', old: '= 1', new: '= 0' }, permission: 'ask' },
    ],
    usage: { inputTokens: 812, outputTokens: 64 },
  },
  'model-failed': {
    type: 'model-failed',
    at: at + 1_200,
    request: 1,
    error: { kind: 'rate-limit', message: 'Too many requests.', retryable: true, retryAfterMs: 2_000 },
    jitter: 0.5,
  },
  'permission-decided': {
    type: 'permission-decided',
    at: at + 5_000,
    request: 1,
    callId: 'call_1',
    decision: 'allow',
  },
  'tool-started': { type: 'tool-started', at: at + 5_010, request: 1, callId: 'call_1' },
  'tool-progressed': {
    type: 'tool-progressed',
    at: at + 5_020,
    request: 1,
    callId: 'call_1',
    progress: '1 of 1 files',
  },
  'tool-finished': {
    type: 'tool-finished',
    at: at + 5_030,
    request: 1,
    callId: 'call_1',
    outcome: { ok: true, output: { changed: ['sum.ts'] } },
  },
  'hooks-finished': { type: 'hooks-finished', at: at + 5_400, request: 1, actionTaken: true },
  'hooks-failed': {
    type: 'hooks-failed',
    at: at + 5_400,
    request: 1,
    message: 'The commit was rejected.',
    jitter: 0.5,
  },
  'retry-due': { type: 'retry-due', at: at + 3_200, request: 1 },
  'recovery-finished': {
    type: 'recovery-finished',
    at: at + 6_000,
    request: 6,
    outcome: { kind: 'ask-model', advice: 'Read the test before you change the sum again.' },
  },
  'paging-requested': { type: 'paging-requested', at, reason: 'Before the next part.' },
  'paging-finished': { type: 'paging-finished', at: at + 300, request: 1, freedTokens: 4_200 },
  'paging-failed': {
    type: 'paging-failed',
    at: at + 300,
    request: 1,
    message: 'The shelf cannot be written to.',
    jitter: 0.5,
  },
  'phase-started': {
    type: 'phase-started',
    at,
    number: 1,
    description: 'Mend the sum',
    expectedMs: 600_000,
    message: 'Begin with the failing test.',
  },
  'phase-completed': {
    type: 'phase-completed',
    at: at + 6_000,
    success: true,
    summary: 'The sum starts at nought.',
    blockers: ['The test had no assertion.'],
  },
  'verdict-reached': {
    type: 'verdict-reached',
    at: at + 5_025,
    verdict: {
      level: 'stuck',
      rule: 'same-edit',
      reason: 'The same edit was made three times.',
      advice: 'Read the file before you edit it again.',
      evidence: [2, 3, 4],
      response: { kind: 'recover' },
    },
  },
  'finish-requested': { type: 'finish-requested', at: at + 5_000, reason: 'The hour is up.' },
  'pause-requested': { type: 'pause-requested', at: at + 5_000, reason: 'The disk is nearly full.' },
  'resume-requested': { type: 'resume-requested', at: at + 9_000 },
  'cancel-requested': { type: 'cancel-requested', at: at + 5_000, reason: 'I have another idea.' },
  'halt-requested': { type: 'halt-requested', at: at + 5_000, reason: 'The branch is gone.' },
  'shutdown-requested': { type: 'shutdown-requested', at: at + 9_000 },
};
