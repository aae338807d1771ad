import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation } from '../../src/index.ts';
import { RepetitionDetector, findRepetitionLoop, computeSimilarity, observeText } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';
import { ScriptedWorker } from './scripted-worker.ts';

const repetitiveText = 'I will now open the file and read it. '.repeat(30);

function createSimilarReply(ending: string): string {
  return `The next thing to do is to look at the parser and to find out why its second test fails, which I will do ${ending}`;
}

describe('replies without calls', () => {
  it('that repeat when asked to continue get advice, and then end the work', () => {
    const worker = new ScriptedWorker();
    worker.reply('I will fix step 1 now.').receivesAutomaticMessage();
    expect(worker.action('ask-model')?.advice).toBeNull();
    worker.reply('I will  fix step 2 NOW!').receivesAutomaticMessage();
    expect(worker.reasons).toEqual(['repeated-text: advise']);
    expect(worker.action('ask-model')?.advice).toContain('said the same 2 times');
    worker.reply('I will fix step 3 now.');
    expect(worker.session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'stuck', rule: 'repeated-text' },
    });
    expect(toItemArray(getConversation(worker.session)).at(-1)).toMatchObject({
      text: 'I will fix step 3 now.',
    });
  });

  it('are answers to user messages, however often', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 20; time += 1) worker.reply('Forty-two.').hears('And again?');
    expect(worker.reasons).toEqual([]);
  });

  it('that are nearly the same take longer', () => {
    const endings = ['now', 'today', 'first', 'next', 'soon'];
    const alone = new ScriptedWorker();
    for (const ending of endings) alone.reply(createSimilarReply(ending)).receivesAutomaticMessage();
    expect(alone.reasons).toEqual(['repeated-text: advise', 'repeated-text: stop']);
    const same = new ScriptedWorker();
    for (let time = 0; time < 3; time += 1) same.reply(createSimilarReply('now')).receivesAutomaticMessage();
    expect(same.reasons).toEqual(['repeated-text: advise', 'repeated-text: stop']);
  });

  it('that differ never end the work', () => {
    const worker = new ScriptedWorker();
    const thoughts = [
      'Let me think.',
      'The parser is odd.',
      'Why is that?',
      'A lexer bug?',
      'Or the tests?',
      'Hm.',
    ];
    for (const thought of thoughts) worker.reply(thought).receivesAutomaticMessage();
    expect(worker.reasons).toEqual(['repeated-text: advise']);
  });

  it('are cleared by a call', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 6; time += 1) {
      worker
        .reply('I will read the file.')
        .receivesAutomaticMessage()
        .call('read', { path: 'a' }, `line ${time}`);
    }
    expect(worker.reasons).toEqual([]);
  });

  it('are found in recorded runs in which a harness repeats its prompt', () => {
    const steps = [0, 2, 4].flatMap((i) => [
      { i, role: 'assistant' as const, text: 'I am ready to begin.' },
      { i: i + 1, role: 'user' as const, text: 'Please continue.' },
    ]);
    const run: RecordedRun = { id: 'r', steps };
    expect(auditRun(run).map(({ step, severity, rule }) => `${step} ${severity} ${rule}`)).toEqual([
      '2 advise repeated-text',
      '4 stop repeated-text',
    ]);
  });
});

describe('likeness', () => {
  const text = fc.array(fc.constantFrom('the', 'file', 'holds', 'a', 'test', 'that', 'fails', 'now'), {
    maxLength: 60,
  });

  it('is between 0 and 1, symmetric, and 1 for equal texts', () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        const a = observeText(1, one.join(' '));
        const b = observeText(2, two.join(' '));
        expect(computeSimilarity(a, b)).toBe(computeSimilarity(b, a));
        expect(computeSimilarity(a, b)).toBeGreaterThanOrEqual(0);
        expect(computeSimilarity(a, b)).toBeLessThanOrEqual(1);
        expect(computeSimilarity(a, a)).toBe(1);
      }),
    );
  });
});

describe('a repetition loop', () => {
  it('is not a reply: the model is asked again with a hint, and the third ends the work', () => {
    const worker = new ScriptedWorker();
    const again = (): ScriptedWorker => worker.reply(repetitiveText).waits(60_000);
    again();
    expect(worker.reasons).toEqual(['repetition-loop: advise']);
    expect(worker.session.turn).toMatchObject({
      status: 'errorRecovery',
      error: { kind: 'repetition-loop' },
    });
    worker.last = worker.take({ type: 'retry-due' });
    expect(worker.action('ask-model')?.advice).toContain('I will now open the file');
    again();
    worker.last = worker.take({ type: 'retry-due' });
    again();
    expect(worker.session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'stuck', rule: 'repetition-loop' },
    });
  });

  it('is ignored in the last answer and with the rule disabled', () => {
    const off = new ScriptedWorker({ governor: { preset: 'pawl', rules: { 'repetition-loop': false } } });
    off.reply(repetitiveText);
    expect(off.session.turn.status).toBe('waitingForUser');
    const finishing = new ScriptedWorker();
    for (let time = 0; time < 4; time += 1) finishing.call('read', { path: 'a' }, 'A');
    finishing.reply(repetitiveText);
    expect(finishing.session.turn).toMatchObject({ status: 'halted', haltReason: { rule: 'repeated-call' } });
  });

  it('is found after any text, with the repeated part', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), (before) => {
        const found = findRepetitionLoop(`${before.replaceAll('`', '')}\n${repetitiveText}`);
        expect(found?.times).toBeGreaterThanOrEqual(5);
        expect(repetitiveText + repetitiveText).toContain(found?.block);
      }),
    );
  });

  it.each([
    ['a short echo', 'no no no no no'],
    ['a rule', '-'.repeat(2_000)],
    ['rows of numbers', '0, 0, 0, 0\n'.repeat(200)],
    ['code between fences', `\`\`\`js\n${'foo(bar);\n'.repeat(200)}`],
    [
      'a list whose items differ',
      Array.from({ length: 200 }, (_, item) => `- item ${item} of the list\n`).join(''),
    ],
    [
      'a table whose rows differ',
      Array.from({ length: 100 }, (_, row) => `| ${row} | yes | no |\n`).join(''),
    ],
    ['nothing', ''],
  ])('is not %s', (_, text) => {
    expect(findRepetitionLoop(text)).toBeNull();
  });

  it('is detected again after a closed fence', () => {
    expect(findRepetitionLoop(`\`\`\`\ncode\n\`\`\`\n${repetitiveText}`)).not.toBeNull();
    expect(findRepetitionLoop(`\`\`\`\`\ncode\n\`\`\`\`\n${repetitiveText}`)).not.toBeNull();
  });

  it('is detected early in streamed text, for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 60, maxLength: 200 }), (sizes) => {
        const watch = new RepetitionDetector();
        const text = `Some words before.\n\`\`\`\nx\n\`\`\`\n${repetitiveText.repeat(20)}`;
        let verdictCount = 0;
        for (const size of sizes) {
          const found = watch.addText(text.slice(verdictCount, verdictCount + size));
          verdictCount += size;
          if (found !== null) break;
        }
        expect(verdictCount).toBeLessThan(1_500);
      }),
    );
  });

  it('is found in the whole text if it is found while streaming', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('`', 'ab ', '\n', 'go on ', '```', '1')),
        fc.integer({ min: 1, max: 80 }),
        (parts, times) => {
          const text = parts.join('').repeat(times);
          const watch = new RepetitionDetector();
          let previousText = '';
          for (const char of text) {
            previousText += char;
            if (watch.addText(char) !== null) expect(findRepetitionLoop(previousText)).not.toBeNull();
          }
        },
      ),
    );
  });
});
