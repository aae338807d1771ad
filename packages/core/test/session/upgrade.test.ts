import { describe, expect, it } from 'vitest';
import { createSession, step } from '../../src/index.ts';
import { upgradeEvent, upgradeSession, upgradeToolResult } from '../../src/upgrade-entry.ts';
import { listRecordedNames, readRecordedLog } from '../old-logs/log-file.ts';
import { toRecordedNames } from '../old-logs/recorded-names.ts';

const oldVerdict = {
  level: 'stuck',
  rule: 'chanting',
  reason: 'so',
  advice: 'stop',
  evidence: [1],
  response: { kind: 'run', calls: [{ tool: 'read', args: {}, permission: 'deny', because: 'no' }] },
};

describe('an event of an older release', () => {
  it.each([
    [
      { type: 'memory-asked', at: 1, action: 'pin', key: 'a' },
      { type: 'memory-command-requested', at: 1, action: 'pin', key: 'a' },
    ],
    [
      { type: 'tool-finished', at: 1, callId: 'a', outcome: { ok: true, output: { found: 1 } }, found: [] },
      {
        type: 'tool-finished',
        at: 1,
        callId: 'a',
        outcome: { ok: true, output: { found: 1 } },
        foundEntries: [],
      },
    ],
    [
      { type: 'model-failed', at: 1, error: { kind: 'chanting', message: 'm' } },
      { type: 'model-failed', at: 1, error: { kind: 'repetition-loop', message: 'm' } },
    ],
    [
      {
        type: 'model-replied',
        at: 1,
        text: '',
        calls: [{ tool: 'a', args: { because: 1 }, because: 'no' }],
      },
      {
        type: 'model-replied',
        at: 1,
        text: '',
        calls: [{ tool: 'a', args: { because: 1 }, denialReason: 'no' }],
      },
    ],
    [
      {
        type: 'recovery-finished',
        at: 1,
        outcome: { kind: 'run-tools', calls: [{ tool: 'a', because: 'no' }] },
      },
      {
        type: 'recovery-finished',
        at: 1,
        outcome: { kind: 'run-tools', calls: [{ tool: 'a', denialReason: 'no' }] },
      },
    ],
    [
      { type: 'verdict-reached', at: 1, verdict: oldVerdict },
      {
        type: 'verdict-reached',
        at: 1,
        verdict: {
          severity: 'block',
          rule: 'repetition-loop',
          reason: 'so',
          advice: 'stop',
          evidence: [1],
          response: {
            kind: 'run',
            calls: [{ tool: 'read', args: {}, permission: 'deny', denialReason: 'no' }],
          },
        },
      },
    ],
  ])('gets the current names: %j', (old, current) => {
    expect(upgradeEvent(old)).toEqual(current);
    expect(upgradeEvent(current)).toEqual(current);
  });

  it.each([
    ['suspect', { kind: 'advise' }, 'advise', { kind: 'advise' }],
    ['stuck', { kind: 'refuse' }, 'block', { kind: 'block' }],
    ['stuck', { kind: 'recover', waitMs: 5 }, 'block', { kind: 'recover', waitMs: 5 }],
    ['stuck', { kind: 'recover' }, 'stop', { kind: 'recover' }],
    ['stuck', { kind: 'advise' }, 'stop', { kind: 'advise' }],
    ['stuck', { kind: 'ask' }, 'ask', { kind: 'ask' }],
    ['stuck', { kind: 'finish' }, 'stop', { kind: 'stop' }],
    ['stuck', { kind: 'halt' }, 'stop', { kind: 'halt' }],
  ])('with a verdict %s %j has the severity %s', (level, response, severity, current) => {
    const event = { type: 'verdict-reached', at: 1, verdict: { ...oldVerdict, level, response } };
    expect(upgradeEvent(event)).toMatchObject({ verdict: { severity, response: current } });
  });

  it.each([null, 'text', 7, [], {}, { type: 'verdict-reached' }, { type: 'model-replied', calls: 'none' }])(
    'that is none stays as it is: %j',
    (value) => {
      expect(upgradeEvent(value)).toEqual(value);
    },
  );
});

describe('a session of an older release', () => {
  it('is upgraded in every state that the recorded logs pass through, and no other is changed', () => {
    for (const name of listRecordedNames()) {
      const log = readRecordedLog(name);
      let { session } = log;
      // Sessions of log version 5 and later were never stored with the older names.
      const hasOlderNames = (session.logVersion ?? 0) < 5;
      for (const { event } of log.entries) {
        session = step(session, event).session;
        expect(upgradeSession(session)).toBe(session);
        if (hasOlderNames) {
          expect(upgradeSession(toRecordedNames(session)), `${name} ${event.type}`).toEqual(session);
        }
      }
    }
  });

  it('keeps its log version, and none if it had none', () => {
    const { budgetUsage: spent, logVersion: behaviour, ...rest } = createSession({ id: 's', at: 0 });
    expect(upgradeSession({ ...rest, spent, behaviour: 2 })).toMatchObject({ logVersion: 2 });
    expect(upgradeSession({ ...rest, spent })).not.toHaveProperty('logVersion');
    expect(behaviour).toBeGreaterThan(2);
  });
});

it('a tool result that an older release stored keeps its entries', () => {
  expect(upgradeToolResult({ ok: true, output: 1, found: [] })).toEqual({
    ok: true,
    output: 1,
    foundEntries: [],
  });
  const current = { ok: true, output: { found: 1 } };
  expect(upgradeToolResult(current)).toBe(current);
});
