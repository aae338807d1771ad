import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { governMessages, messageGovernor, refusalOf, withAdvice } from '../src/messages.ts';
import { anthropic, begin, fail, formats, openai, read, times, type Happened } from './histories.ts';

const loop = (count: number): readonly Happened[] => [
  begin,
  ...times(count, () => ({ calls: [read('notes.md', 'Ship on Friday.')] })),
];

const productive = (count: number): readonly Happened[] => [
  begin,
  ...times(count, (index) => ({ calls: [read(`src/file-${index}.ts`, `export const value = ${index};`)] })),
];

const failures = (count: number): readonly Happened[] => [
  begin,
  ...times(count, () => ({ calls: [fail('make')] })),
];

describe.each(Object.entries(formats))('messages as %s has them', (_, write) => {
  it('go from nothing to say, to advice, to a last request without tools, to the end', () => {
    const judged = [1, 2, 3, 4, 5].map((count) => governMessages(write(loop(count))));
    expect(judged.map(({ advice }) => advice !== null)).toEqual([false, false, true, true, true]);
    expect(judged.map(({ dropTools }) => dropTools)).toEqual([false, false, false, true, true]);
    expect(judged.map(({ isOver }) => isOver)).toEqual([false, false, false, false, true]);
    expect(judged[2]?.verdict).toMatchObject({ rule: 'repeated-call', response: { kind: 'advise' } });
    expect(judged[2]?.advice).toContain('read 3 times in a row');
    expect(judged[3]?.finish).toContain('read was called 4 times');
    expect(judged[3]?.advice).toContain('this is your last reply');
  });

  it('are over once the last answer is given, until a person says something else', () => {
    const answered = [...loop(4), { text: 'We ship on Friday.' }];
    expect(governMessages(write(answered))).toMatchObject({ isOver: true });
    const afresh = governMessages(write([...answered, { user: 'Thank you. And who packs?' }]));
    expect(afresh).toMatchObject({ isOver: false, dropTools: false, advice: null, verdict: null });
  });

  it('have their failures counted', () => {
    const judged = [1, 2, 3, 4].map((count) => governMessages(write(failures(count))));
    expect(judged.map(({ verdict }) => verdict?.response.kind)).toEqual([
      undefined,
      'advise',
      'refuse',
      'finish',
    ]);
    expect(judged[1]?.verdict?.rule).toBe('repeated-failure');
  });

  it('of calls made side by side are one round: nothing that is found in it is lost', () => {
    const both = { calls: [fail('make'), read('notes.md', 'Ship on Friday.')] };
    const judgement = governMessages(write([begin, both, both, both]));
    expect(judgement.spent).toMatchObject({ modelCalls: 3, toolCalls: 6 });
    expect(judgement.advice).not.toBeNull();
  });

  it('of two hundred steps that bring something new each call for nothing', () => {
    const messages = write(productive(200));
    for (let end = 1; end <= messages.length; end += 20) {
      const judgement = governMessages(messages.slice(0, end));
      expect(judgement).toMatchObject({ verdict: null, advice: null, dropTools: false, refuse: [] });
      expect(withAdvice(messages, judgement)).toEqual(messages);
    }
  });
});

describe('refusals', () => {
  const threeFailures = failures(3);
  const judgement = governMessages(anthropic(threeFailures));
  const because = refusalOf(judgement, { tool: 'run', args: { command: 'make' } });

  it('are for one call, however its arguments are ordered, and say what to do instead', () => {
    expect(because).toMatch(/^Not run again: run has failed 3 times in a row/);
    expect(refusalOf(judgement, { tool: 'run', args: { command: 'make all' } })).toBeNull();
    expect(refusalOf(judgement, { tool: 'read', args: { command: 'make' } })).toBeNull();
  });

  it('that are heeded end the work when the model insists', () => {
    const refused = { calls: [fail('make', because ?? '')] };
    const once = governMessages(anthropic([...threeFailures, refused]));
    expect(once).toMatchObject({ dropTools: false, finish: null });
    const twice = governMessages(anthropic([...threeFailures, refused, refused]));
    expect(twice.dropTools).toBe(true);
    expect(twice.finish).toContain('it was refused and asked for 2 more times');
  });

  it('that nobody heeds are none: what came of the call counts', () => {
    const ranAnyway = [...threeFailures, { calls: [{ ...fail('make', 'built'), failed: false }] }];
    expect(governMessages(anthropic(ranAnyway))).toMatchObject({ refuse: [], finish: null, advice: null });
    const failedAnyway = [...threeFailures, { calls: [fail('make')] }];
    expect(governMessages(anthropic(failedAnyway))).toMatchObject({
      dropTools: true,
      verdict: { rule: 'repeated-failure' },
    });
  });

  it('are lifted by anything new', () => {
    const moved = [...threeFailures, { calls: [read('Makefile', 'all: build')] }];
    expect(governMessages(anthropic(moved)).refuse).toEqual([]);
  });
});

describe('what people and harnesses say', () => {
  it('starts the work afresh when it is new, and does not when it was said before', () => {
    const [, ...calls] = loop(2);
    const asked = (word: (index: number) => string): readonly Happened[] =>
      [0, 1, 2].flatMap((index) => [{ user: word(index) }, ...calls]);
    expect(governMessages(openai(asked((index) => `Question ${index}`)))).toMatchObject({ verdict: null });
    expect(governMessages(openai(asked(() => 'Continue.'))).dropTools).toBe(true);
  });

  it('next to results is the harness talking', () => {
    const noisy = anthropic(loop(4)).map((message, index) =>
      Array.isArray((message as { content: unknown }).content) && index % 2 === 0
        ? {
            ...message,
            content: [
              ...(message as { content: object[] }).content,
              { type: 'text', text: `Reminder ${index}` },
            ],
          }
        : message,
    );
    expect(governMessages(noisy).dropTools).toBe(true);
  });

  it('does not bring back a budget that is used up', () => {
    const options = { budgets: { toolCalls: 2 } };
    const used = [...productive(2), { text: 'This is what I have.' }];
    expect(governMessages(openai(productive(2)), options)).toMatchObject({
      dropTools: true,
      verdict: { rule: 'budget' },
    });
    expect(governMessages(openai([...used, { user: 'Go on, then.' }]), options).dropTools).toBe(true);
  });
});

describe('a conversation in pieces', () => {
  it('waits for the results of calls that are under way', () => {
    const messages = openai(loop(4));
    const open = messages.slice(0, -1);
    expect(governMessages(open)).toEqual(governMessages(messages.slice(0, -2)));
  });

  it('may begin with a reply, hold instructions, or lack results', () => {
    const [, ...headless] = loop(4);
    expect(governMessages(openai(headless)).dropTools).toBe(true);
    const instructed = [{ role: 'system', content: 'Be brief.' }, ...openai(loop(4))];
    expect(governMessages(instructed).dropTools).toBe(true);
    const halves = openai(loop(6)).filter(({ role }: { role?: string }) => role !== 'tool');
    expect(governMessages(halves)).toMatchObject({ verdict: null, spent: { modelCalls: 5, toolCalls: 5 } });
  });

  const happened = fc.oneof(
    fc.record({ user: fc.constantFrom('Go on.', 'Look again.', 'Stop that.') }),
    fc.record({ text: fc.constantFrom('Done.', 'I will look.', '') }),
    fc.record({
      calls: fc.array(
        fc.constantFrom(read('a', 'one'), read('b', 'two'), read('a', 'three'), fail('make'), fail('test')),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  );

  it.each(Object.entries(formats))(
    'is judged the same read bit by bit and read at one go, as %s writes it',
    (_, write) => {
      fc.assert(
        fc.property(
          fc.array(happened, { maxLength: 25 }),
          fc.array(fc.boolean(), { minLength: 5 }),
          fc.boolean(),
          (history, asks, copies) => {
            const messages = write(history);
            const judge = messageGovernor();
            for (let end = 0; end <= messages.length; end += 1) {
              if (asks[end % asks.length] === false) continue;
              const part = messages.slice(0, end);
              const given = copies ? (JSON.parse(JSON.stringify(part)) as readonly object[]) : part;
              expect(judge(given)).toEqual(governMessages(part));
            }
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('is judged afresh when what was read has been changed', () => {
    const judge = messageGovernor();
    expect(judge(openai(loop(4))).dropTools).toBe(true);
    const other = openai([{ user: 'Something else.' }, ...loop(1).slice(1)]);
    expect(judge(other)).toEqual(governMessages(other));
    const shortened = openai(loop(4)).slice(0, 5);
    expect(judge(shortened)).toEqual(governMessages(shortened));
  });

  it('costs no more at the thousandth step than at the tenth', () => {
    const messages = openai(productive(1_000));
    let looks = 0;
    const watched = messages.map(
      (message) => new Proxy(message, { get: (target, key) => ((looks += 1), Reflect.get(target, key)) }),
    );
    const judge = messageGovernor();
    const cost = (end: number): number => {
      looks = 0;
      judge(watched.slice(0, end));
      return looks;
    };
    for (let end = 1; end <= 21; end += 2) cost(end);
    const early = cost(23);
    for (let end = 25; end < 1_999; end += 2) cost(end);
    expect(cost(1_999)).toBeLessThanOrEqual(early);
  });
});

describe('options', () => {
  it('change rules, bring own ones and tell each verdict once', () => {
    const told: string[] = [];
    const judge = messageGovernor({
      rules: { 'repeated-call': false, 'round-and-round': { advise: null, finish: 9 } },
      ownRules: [
        {
          id: 'too-much-reading',
          because: 'A test says so.',
          thresholds: { advise: 2, refuse: null, finish: null },
          look: (window) => ({
            count: window.length,
            evidence: window,
            loop: 'reading',
            reason: 'much was read',
            advice: 'Read less.',
          }),
        },
      ],
      onVerdict: ({ rule }) => told.push(rule),
    });
    const messages = openai(loop(4));
    for (let end = 1; end <= messages.length; end += 1) judge(messages.slice(0, end));
    judge(messages);
    expect(told).toEqual(['too-much-reading']);
  });

  it('say which results are failures where the messages do not', () => {
    const misses = openai([begin, ...times(3, () => ({ calls: [read('a', 'nothing there')] }))]);
    expect(governMessages(misses).verdict?.rule).toBe('repeated-call');
    const told = governMessages(misses, { isFailure: (said) => said.startsWith('nothing') });
    expect(told.verdict?.rule).toBe('repeated-failure');
  });

  it('bring a clock for the budget of time', () => {
    let now = 0;
    const judge = messageGovernor({ now: () => now, budgets: { wallMs: 60_000 } });
    const messages = openai(productive(3));
    expect(judge(messages.slice(0, 1)).finish).toBeNull();
    now = 30_000;
    expect(judge(messages.slice(0, 3)).finish).toBeNull();
    now = 61_000;
    expect(judge(messages.slice(0, 5)).finish).toContain('60 s');
  });

  it('hold model calls and tokens to what they may use up', () => {
    const counted = openai(productive(5)).map((message) => ({
      ...message,
      usage: { prompt_tokens: 100, completion_tokens: 10 },
    }));
    const judge = (budgets: object, rounds: number) =>
      governMessages(counted.slice(0, 1 + 2 * rounds), { budgets });
    expect(judge({ modelCalls: 4 }, 2).finish).toBeNull();
    expect(judge({ modelCalls: 4 }, 3).finish).toContain('4 model calls');
    expect(judge({ tokens: 440 }, 2).finish).toBeNull();
    expect(judge({ tokens: 440 }, 3).finish).toContain('440 tokens');
  });
});

describe('messages of any kind', () => {
  const anything = fc.array(
    fc.oneof(
      fc.dictionary(
        fc.constantFrom('role', 'type', 'content', 'tool_calls', '__proto__', 'data'),
        fc.anything(),
      ),
      fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content: fc.jsonValue() }),
    ),
    { maxLength: 10 },
  );

  it('never throw and give the same judgement twice', () => {
    fc.assert(
      fc.property(anything, (messages) => {
        expect(governMessages(messages)).toEqual(governMessages(messages));
      }),
    );
  });

  it('that are huge or deep are judged in time', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
    const huge = 'a '.repeat(1_000_000);
    const calls = times(4, () => ({ calls: [{ tool: 'read', args: { deep }, said: huge }] }));
    const started = performance.now();
    expect(governMessages(anthropic([begin, ...calls])).dropTools).toBe(true);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
