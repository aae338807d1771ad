import { eventTypes, type Event } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventExamples } from '../../src/schema/events.ts';
import { parseEvent } from '../../src/schema/parse-event.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

function parseEventError(value: unknown): string {
  const parsed = parseEvent(value);
  expect(parsed.ok).toBe(false);
  return parsed.ok ? '' : parsed.error;
}

function createReplyEvent(calls: unknown, rest: object = {}): object {
  return { type: 'model-replied', at: 1, text: '', calls, ...rest };
}

function createNestedArray(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

function listEventKeys(event: Event): readonly string[] {
  return Object.keys(event);
}

describe('an external event', () => {
  it.each(eventTypes)('is accepted unchanged: %s', (type) => {
    const example = eventExamples[type];
    expect(parseEvent(JSON.parse(JSON.stringify(example)))).toEqual({ ok: true, event: example });
  });

  it.each(eventTypes)('is rejected with an unknown key, which is named: %s', (type) => {
    expect(parseEventError({ ...eventExamples[type], colour: 'red' })).toContain(
      `${type}: unknown key "colour"`,
    );
  });

  it.each(eventTypes)('is rejected without its time, which is named: %s', (type) => {
    const { at, ...rest } = eventExamples[type];
    expect(at).toBeTypeOf('number');
    expect(parseEventError(rest)).toBe(`${type}: at: missing; expected a number`);
  });

  it.each(eventTypes)(
    'is rejected with a value of the wrong type in any field, which is named: %s',
    (type) => {
      for (const key of listEventKeys(eventExamples[type])) {
        if (key !== 'type') expect(parseEventError({ ...eventExamples[type], [key]: [true] })).toContain(key);
      }
    },
  );

  it('carries any JSON as a payload', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const event = createReplyEvent([{ tool: 'read', args: json }]);
        expect(parseEvent(event)).toEqual({ ok: true, event });
      }),
    );
  });
});

describe('the error', () => {
  const failure = eventExamples['model-failed'];
  const result = eventExamples['tool-finished'];

  it.each<[string, unknown, string]>([
    ['a number', 3, 'an event is an object with a "type"; got 3'],
    ['nothing', null, 'an event is an object with a "type"; got null'],
    ['a list', [], 'an event is an object with a "type"; got an array'],
    ['no type', {}, '"type" is missing; expected an event type such as "user-message"'],
    ['a type that is no text', { type: 7 }, '"type": expected a string, got 7'],
    [
      'a slip',
      { type: 'tool_finished' },
      'unknown event type "tool_finished"; did you mean "tool-finished"?',
    ],
    [
      'capitals',
      { type: 'ToolFinished' },
      'unknown event type "ToolFinished"; did you mean "tool-finished"?',
    ],
    [
      'a misspelt key',
      { type: 'user-message', at: 1, txt: '' },
      'user-message: unknown key "txt"; the keys are type, at, text, automatic (and 1 more)',
    ],
    ['endless time', { type: 'retry-due', at: Infinity }, 'retry-due: at: expected a number, got Infinity'],
    [
      'half a request',
      createReplyEvent([], { request: 1.5 }),
      'model-replied: request: expected a whole number, got 1.5',
    ],
    ['too much jitter', { ...failure, jitter: 1.5 }, 'model-failed: jitter: expected at most 1, got 1.5'],
    ['negative jitter', { ...failure, jitter: -1 }, 'model-failed: jitter: expected at least 0, got -1'],
    [
      'a wait into the past',
      { ...failure, error: { ...failure.error, retryAfterMs: -1 } },
      'model-failed: error.retryAfterMs: expected at least 0, got -1',
    ],
    [
      'half a phase',
      { ...eventExamples['phase-started'], number: 0.5 },
      'phase-started: number: expected a whole number, got 0.5',
    ],
    [
      'no arguments',
      createReplyEvent([{ tool: 'a' }]),
      'model-replied: calls[0].args: missing; expected any JSON',
    ],
    [
      'an unknown choice',
      createReplyEvent([{ tool: 'a', args: 1, permission: 'maybe' }]),
      'model-replied: calls[0].permission: expected one of "allow", "ask", "deny", got "maybe"',
    ],
    [
      'no outcome',
      { ...result, outcome: {} },
      'tool-finished: outcome.ok: missing; expected one of true, false',
    ],
    [
      'an outcome of no kind',
      { ...result, outcome: { ok: 'yes' } },
      'tool-finished: outcome.ok: expected one of true, false, got "yes"',
    ],
    [
      'an outcome of both kinds',
      { ...result, outcome: { ok: true, output: 1, error: 2 } },
      'tool-finished: outcome: unknown key "error"; the keys are ok, output, final',
    ],
    [
      'several mistakes',
      createReplyEvent([1, 2, 3]),
      'model-replied: calls[0]: expected an object, got 1 (and 2 more)',
    ],
  ])('explains %s', (_, value, error) => {
    expect(parseEventError(value)).toBe(error);
  });

  it('is one short line without control characters for any input', () => {
    const hostile = fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSet: true,
      }),
      fc.string({ unit: codePoint, maxLength: 500 }).map((type) => ({ type })),
      fc
        .string({ unit: codePoint, maxLength: 500 })
        .map((text) => ({ type: 'halt-requested', [text]: text })),
      fc.record({ type: fc.constantFrom(...eventTypes), at: fc.anything(), text: fc.anything() }),
    );
    fc.assert(
      fc.property(hostile, (value) => {
        const parsed = parseEvent(value);
        if (parsed.ok) return;
        expect(parsed.error.length).toBeLessThanOrEqual(300);
        expect(parsed.error).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(parsed.error.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays short for a type, a key or a value of a million characters', () => {
    const long = 'x'.repeat(1_000_000);
    for (const value of [{ type: long }, { type: 'retry-due', [long]: 1 }, { type: 'retry-due', at: long }]) {
      expect(parseEventError(value).length).toBeLessThan(150);
    }
  });
});

describe('a hostile payload', () => {
  it('may be nested at most 256 levels deep', () => {
    expect(parseEvent(createReplyEvent([{ tool: 'a', args: createNestedArray(256) }])).ok).toBe(true);
    const error = 'model-replied: calls[0].args: nested too deeply; expected at most 256 levels';
    expect(parseEventError(createReplyEvent([{ tool: 'a', args: createNestedArray(257) }]))).toBe(error);
    expect(parseEventError(createReplyEvent([{ tool: 'a', args: createNestedArray(500_000) }]))).toBe(error);
  });

  it.each(['text', 'calls', 'usage', 'request', 'extra'])(
    'is an error and no crash when %s is deeply nested',
    (key) => {
      expect(parseEventError(createReplyEvent([], { [key]: createNestedArray(500_000) }))).toContain(key);
    },
  );

  it('that is circular is rejected', () => {
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(parseEventError(createReplyEvent([{ tool: 'a', args: loop }]))).toMatch(/too large or circular$/);
  });

  it.each([undefined, Number.NaN, 1n, Symbol('x'), () => 1, new Date(0), new Map(), [undefined]])(
    'that JSON cannot represent is rejected: %s',
    (value) => {
      expect(parseEventError(createReplyEvent([{ tool: 'a', args: { value } }]))).toContain(
        'calls[0].args: expected JSON',
      );
    },
  );

  it('of too many invalid calls gives one error', () => {
    const error = 'model-replied: calls: expected an array of at most 10000 items, got 3000000';
    expect(parseEventError(createReplyEvent(Array.from({ length: 3_000_000 }, () => 0)))).toBe(error);
  });

  it('keeps a key named __proto__ as data without side effects', () => {
    const line = JSON.stringify(createReplyEvent([{ tool: 'a', args: { x: 1 } }])).replace(
      '"x"',
      '"__proto__"',
    );
    const parsed = parseEvent(JSON.parse(line));
    expect(JSON.stringify(parsed.ok && parsed.event)).toBe(line);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'is not a way to bring a key named %s into an event',
    (key) => {
      const line = `{"type":"retry-due","at":1,"${key}":{"polluted":true}}`;
      expect(parseEventError(JSON.parse(line))).toContain(`unknown key "${key}"`);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])('is not a way to find a type named %s', (type) => {
    expect(parseEventError({ type })).toContain(`unknown event type "${type}"`);
  });
});
