import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  markExecutedCommand,
  getExecutedCommand,
  createCommandEvent,
  parseCommand,
  type SessionCommand,
} from '../../src/store/command-channel.ts';

const commands: readonly SessionCommand[] = [
  { kind: 'say', text: 'Go on.' },
  { kind: 'decide', callId: 'one', decision: 'deny', reason: 'no' },
  { kind: 'decide', callId: 'one', decision: 'allow', request: 4 },
  { kind: 'cancel' },
  { kind: 'cancel', reason: 'why not' },
  { kind: 'finish', reason: 'late' },
  { kind: 'halt', reason: 'over' },
  { kind: 'pause', reason: 'lunch' },
  { kind: 'resume' },
  { kind: 'phase', number: 2, description: 'Building' },
  { kind: 'memory', action: 'evict', key: 'plan' },
];

describe('a command', () => {
  it.each(commands)('of kind $kind is delivered unchanged and becomes an event of plain JSON', (command) => {
    expect(parseCommand(JSON.stringify(command))).toEqual(command);
    const event = createCommandEvent(command);
    expect(JSON.parse(JSON.stringify(event))).toEqual(event);
  });

  it.each([
    '',
    'null',
    '[]',
    '"say"',
    '{"kind":"say"}',
    '{"kind":"say","text":1}',
    '{"kind":"decide","callId":"a","decision":"maybe"}',
    '{"kind":"decide","callId":"a","decision":"allow","request":1.5}',
    '{"kind":"__proto__"}',
    '{"kind":"constructor"}',
    '{"kind":"toString"}',
    '{"kind":"halt"}',
    '{"kind":"phase","number":0,"description":"x"}',
    '{"kind":"phase","number":1.5,"description":"x"}',
    '{"kind":"phase","number":1}',
    '{"kind":"memory","action":"toString","key":"plan"}',
    '{"kind":"memory","action":"pin"}',
  ])('is not parsed from %j', (json) => {
    expect(parseCommand(json)).toBeNull();
  });

  it('passes only the fields of its kind to the session', () => {
    const forged = parseCommand(
      '{"kind":"decide","callId":"a","decision":"allow","type":"halt-requested","at":1}',
    );
    expect(forged === null ? null : createCommandEvent(forged)).toEqual({
      type: 'permission-decided',
      callId: 'a',
      decision: 'allow',
    });
  });

  it('parses any text without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (json) => {
        const command = parseCommand(json);
        expect(command === null || createCommandEvent(command).type !== undefined).toBe(true);
      }),
    );
  });

  it('is recognized by the event that executes it, not by the text of that event', () => {
    const event = markExecutedCommand({ type: 'resume-requested', at: 1 } as const, '1-0');
    expect(getExecutedCommand({ ...event })).toBe('1-0');
    expect(JSON.stringify(event)).toBe('{"type":"resume-requested","at":1}');
    expect(getExecutedCommand({ type: 'resume-requested', at: 1 })).toBeUndefined();
  });
});
