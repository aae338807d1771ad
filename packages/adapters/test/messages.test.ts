import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../scripts/testing/cpu-time.ts';
import { governMessages, createMessageGovernor, findRefusalReason, appendAdvice } from '../src/messages.ts';
import {
  toAnthropicHistory,
  firstUserItem,
  createFailedCall,
  historyFormats,
  toOpenAiHistory,
  createReadCall,
  repeatItems,
  type HistoryItem,
} from './histories.ts';

const createLoopHistory = (count: number): readonly HistoryItem[] => [
  firstUserItem,
  ...repeatItems(count, () => ({ calls: [createReadCall('notes.md', 'Ship on Friday.')] })),
];

const createProductiveHistory = (count: number): readonly HistoryItem[] => [
  firstUserItem,
  ...repeatItems(count, (index) => ({
    calls: [createReadCall(`src/file-${index}.ts`, `export const value = ${index};`)],
  })),
];

const createFailureHistory = (count: number): readonly HistoryItem[] => [
  firstUserItem,
  ...repeatItems(count, () => ({ calls: [createFailedCall('make')] })),
];

describe.each(Object.entries(historyFormats))('messages in the format of %s', (_, write) => {
  it('escalate from no verdict to advice, a last request without tools, and the end', () => {
    const judged = [1, 2, 3, 4, 5].map((count) => governMessages(write(createLoopHistory(count))));
    expect(judged.map(({ advice }) => advice !== null)).toEqual([false, false, true, true, true]);
    expect(judged.map(({ dropTools }) => dropTools)).toEqual([false, false, false, true, true]);
    expect(judged.map(({ isOver }) => isOver)).toEqual([false, false, false, false, true]);
    expect(judged[2]?.verdict).toMatchObject({ rule: 'repeated-call', response: { kind: 'advise' } });
    expect(judged[2]?.advice).toContain('read 3 times in a row');
    expect(judged[3]?.finish).toContain('read was called 4 times');
    expect(judged[3]?.advice).toContain('this is your last reply');
  });

  it('end with the last answer, until the user sends a new message', () => {
    const answered = [...createLoopHistory(4), { text: 'We ship on Friday.' }];
    expect(governMessages(write(answered))).toMatchObject({ isOver: true });
    const newTurn = governMessages(write([...answered, { user: 'Thank you. And who packs?' }]));
    expect(newTurn).toMatchObject({ isOver: false, dropTools: false, advice: null, verdict: null });
  });

  it('have their failures counted', () => {
    const judged = [1, 2, 3, 4].map((count) => governMessages(write(createFailureHistory(count))));
    expect(judged.map(({ verdict }) => verdict?.response.kind)).toEqual([
      undefined,
      'advise',
      'block',
      'stop',
    ]);
    expect(judged[1]?.verdict?.rule).toBe('repeated-failure');
  });

  it('of parallel calls form one round, and no match in it is lost', () => {
    const both = { calls: [createFailedCall('make'), createReadCall('notes.md', 'Ship on Friday.')] };
    const decision = governMessages(write([firstUserItem, both, both, both]));
    expect(decision.budgetUsage).toMatchObject({ modelCalls: 3, toolCalls: 6 });
    expect(decision.advice).not.toBeNull();
  });

  it('of two hundred productive steps cause no verdict', () => {
    const messages = write(createProductiveHistory(200));
    for (let end = 1; end <= messages.length; end += 20) {
      const decision = governMessages(messages.slice(0, end));
      expect(decision).toMatchObject({ verdict: null, advice: null, dropTools: false, blockedCalls: [] });
      expect(appendAdvice(messages, decision)).toEqual(messages);
    }
  });
});

describe('refusals', () => {
  const threeFailures = createFailureHistory(3);
  const decision = governMessages(toAnthropicHistory(threeFailures));
  const because = findRefusalReason(decision, { tool: 'run', args: { command: 'make' } });

  it('apply to one call, in any argument order, and suggest an alternative', () => {
    expect(because).toMatch(/^Not run again: run has failed 3 times in a row/);
    expect(findRefusalReason(decision, { tool: 'run', args: { command: 'make all' } })).toBeNull();
    expect(findRefusalReason(decision, { tool: 'read', args: { command: 'make' } })).toBeNull();
  });

  it('that are enforced end the work if the model insists', () => {
    const refused = { calls: [createFailedCall('make', because ?? '')] };
    const once = governMessages(toAnthropicHistory([...threeFailures, refused]));
    expect(once).toMatchObject({ dropTools: false, finish: null });
    const twice = governMessages(toAnthropicHistory([...threeFailures, refused, refused]));
    expect(twice.dropTools).toBe(true);
    expect(twice.finish).toContain('it was refused and asked for 2 more times');
  });

  it('that are not enforced have no effect: the result of the call counts', () => {
    const ranAnyway = [
      ...threeFailures,
      { calls: [{ ...createFailedCall('make', 'built'), failed: false }] },
    ];
    expect(governMessages(toAnthropicHistory(ranAnyway))).toMatchObject({
      blockedCalls: [],
      finish: null,
      advice: null,
    });
    const failedAnyway = [...threeFailures, { calls: [createFailedCall('make')] }];
    expect(governMessages(toAnthropicHistory(failedAnyway))).toMatchObject({
      dropTools: true,
      verdict: { rule: 'repeated-failure' },
    });
  });

  it('are lifted by new progress', () => {
    const moved = [...threeFailures, { calls: [createReadCall('Makefile', 'all: build')] }];
    expect(governMessages(toAnthropicHistory(moved)).blockedCalls).toEqual([]);
  });
});

const createReminder = (index: number): string => `<system-reminder>\nTasks: ${index}\n</system-reminder>`;

describe('user messages', () => {
  it('reset the governor if they are new, and not if they are repeated', () => {
    const [, ...calls] = createLoopHistory(2);
    const asked = (word: (index: number) => string): readonly HistoryItem[] =>
      [0, 1, 2].flatMap((index) => [{ user: word(index) }, ...calls]);
    expect(governMessages(toOpenAiHistory(asked((index) => `Question ${index}`)))).toMatchObject({
      verdict: null,
    });
    expect(governMessages(toOpenAiHistory(asked(() => 'Continue.'))).dropTools).toBe(true);
    expect(governMessages(toOpenAiHistory(asked(createReminder))).dropTools).toBe(true);
    const question = (index: number): string => `${createReminder(0)}\nQuestion ${index}`;
    expect(governMessages(toOpenAiHistory(asked(question))).verdict).toBeNull();
  });

  it('next to tool results come from the harness', () => {
    const noisy = toAnthropicHistory(createLoopHistory(4)).map((message, index) =>
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

  it('do not restore an exhausted budget', () => {
    const options = { budgets: { toolCalls: 2 } };
    const used = [...createProductiveHistory(2), { text: 'This is what I have.' }];
    expect(governMessages(toOpenAiHistory(createProductiveHistory(2)), options)).toMatchObject({
      dropTools: true,
      verdict: { rule: 'budget' },
    });
    expect(governMessages(toOpenAiHistory([...used, { user: 'Go on, then.' }]), options).dropTools).toBe(
      true,
    );
  });
});

describe('a partial conversation', () => {
  it('waits for the results of running calls', () => {
    const messages = toOpenAiHistory(createLoopHistory(4));
    const open = messages.slice(0, -1);
    expect(governMessages(open)).toEqual(governMessages(messages.slice(0, -2)));
  });

  it('may start with a reply, contain instructions, or lack results', () => {
    const [, ...headless] = createLoopHistory(4);
    expect(governMessages(toOpenAiHistory(headless)).dropTools).toBe(true);
    const instructed = [{ role: 'system', content: 'Be brief.' }, ...toOpenAiHistory(createLoopHistory(4))];
    expect(governMessages(instructed).dropTools).toBe(true);
    const halves = toOpenAiHistory(createLoopHistory(6)).filter(
      ({ role }: { role?: string }) => role !== 'tool',
    );
    expect(governMessages(halves)).toMatchObject({
      verdict: null,
      budgetUsage: { modelCalls: 5, toolCalls: 5 },
    });
  });

  const happened = fc.oneof(
    fc.record({ user: fc.constantFrom('Go on.', 'Look again.', 'Stop that.') }),
    fc.record({ text: fc.constantFrom('Done.', 'I will look.', '') }),
    fc.record({
      calls: fc.array(
        fc.constantFrom(
          createReadCall('a', 'one'),
          createReadCall('b', 'two'),
          createReadCall('a', 'three'),
          createFailedCall('make'),
          createFailedCall('test'),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  );

  it.each(Object.entries(historyFormats))(
    'is judged the same incrementally and at once, in the format of %s',
    (_, write) => {
      fc.assert(
        fc.property(
          fc.array(happened, { maxLength: 25 }),
          fc.array(fc.boolean(), { minLength: 5 }),
          fc.boolean(),
          (history, asks, copies) => {
            const messages = write(history);
            const judge = createMessageGovernor();
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

  it('is judged from the start if earlier messages changed', () => {
    const judge = createMessageGovernor();
    expect(judge(toOpenAiHistory(createLoopHistory(4))).dropTools).toBe(true);
    const other = toOpenAiHistory([{ user: 'Something else.' }, ...createLoopHistory(1).slice(1)]);
    expect(judge(other)).toEqual(governMessages(other));
    const shortened = toOpenAiHistory(createLoopHistory(4)).slice(0, 5);
    expect(judge(shortened)).toEqual(governMessages(shortened));
  });

  it('costs no more at the thousandth step than at the tenth', () => {
    const messages = toOpenAiHistory(createProductiveHistory(1_000));
    let looks = 0;
    const watched = messages.map(
      (message) => new Proxy(message, { get: (target, key) => ((looks += 1), Reflect.get(target, key)) }),
    );
    const judge = createMessageGovernor();
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
  it('change rules, add custom rules and report each verdict once', () => {
    const received: string[] = [];
    const judge = createMessageGovernor({
      rules: { 'repeated-call': false, 'round-and-round': { advise: null, stop: 9 } },
      ownRules: [
        {
          id: 'too-much-reading',
          rationale: 'A test says so.',
          thresholds: { advise: 2, block: null, stop: null },
          match: (window) => ({
            count: window.length,
            evidence: window,
            loop: 'reading',
            reason: 'much was read',
            advice: 'Read less.',
          }),
        },
      ],
      onVerdict: ({ rule }) => received.push(rule),
    });
    const messages = toOpenAiHistory(createLoopHistory(4));
    for (let end = 1; end <= messages.length; end += 1) judge(messages.slice(0, end));
    judge(messages);
    expect(received).toEqual(['too-much-reading']);
  });

  it('mark failed results if the messages do not', () => {
    const misses = toOpenAiHistory([
      firstUserItem,
      ...repeatItems(3, () => ({ calls: [createReadCall('a', 'nothing there')] })),
    ]);
    expect(governMessages(misses).verdict?.rule).toBe('repeated-call');
    const decision = governMessages(misses, { isFailure: (text) => text.startsWith('nothing') });
    expect(decision.verdict?.rule).toBe('repeated-failure');
  });

  it('provide a clock for the time budget', () => {
    let now = 0;
    const judge = createMessageGovernor({ now: () => now, budgets: { wallMs: 60_000 } });
    const messages = toOpenAiHistory(createProductiveHistory(3));
    expect(judge(messages.slice(0, 1)).finish).toBeNull();
    now = 30_000;
    expect(judge(messages.slice(0, 3)).finish).toBeNull();
    now = 61_000;
    expect(judge(messages.slice(0, 5)).finish).toContain('60 s');
  });

  it('limit model calls and tokens', () => {
    const counted = toOpenAiHistory(createProductiveHistory(5)).map((message) => ({
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

describe('arbitrary messages', () => {
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

  it('never throw and give the same decision twice', () => {
    fc.assert(
      fc.property(anything, (messages) => {
        expect(governMessages(messages)).toEqual(governMessages(messages));
      }),
    );
  });

  it('that are huge or deeply nested are judged in bounded time', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
    const huge = 'a '.repeat(1_000_000);
    const calls = repeatItems(4, () => ({ calls: [{ tool: 'read', args: { deep }, result: huge }] }));
    const cpuMs = startCpuTimer();
    expect(governMessages(toAnthropicHistory([firstUserItem, ...calls])).dropTools).toBe(true);
    // Comparing every pair of words would take far longer.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
