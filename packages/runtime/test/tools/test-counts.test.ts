import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestCounter, type TestCounts } from '../../src/tools/test-command.ts';

const outputs: Readonly<Record<string, { readonly text: string; readonly counts: TestCounts | null }>> = {
  vitest: {
    text: ' ✓ a.test.ts (12 tests) 3ms\n\n Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 12 passed | 2 skipped (15)\n   Start at  10:00:00\n',
    counts: { passed: 12, failed: 1 },
  },
  'vitest with colours': {
    text: '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m90 passed\u001b[39m\u001b[22m\u001b[90m (90)\u001b[39m\n',
    counts: { passed: 90, failed: 0 },
  },
  jest: {
    text: 'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 12 passed, 15 total\nSnapshots:   0 total\n',
    counts: { passed: 12, failed: 1 },
  },
  'node:test': {
    text: '✖ adds (1.2ms)\nℹ tests 5\nℹ suites 0\nℹ pass 4\nℹ fail 1\nℹ cancelled 0\n',
    counts: { passed: 4, failed: 1 },
  },
  'node:test in TAP': { text: 'ok 1 - a\n# tests 2\n# pass 2\n# fail 0\n', counts: { passed: 2, failed: 0 } },
  mocha: { text: '\n  12 passing (34ms)\n  1 pending\n  2 failing\n\n', counts: { passed: 12, failed: 2 } },
  pytest: {
    text: '===== test session starts =====\n==== 1 failed, 12 passed, 2 skipped, 1 error in 0.12s ====\n',
    counts: { passed: 12, failed: 2 },
  },
  'pytest, quiet': { text: '..F\n1 failed, 2 passed in 0.01s\n', counts: { passed: 2, failed: 1 } },
  'go test -v': {
    text: '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/x\t0.003s\n',
    counts: { passed: 1, failed: 1 },
  },
  'go test': {
    text: 'ok  \texample.com/x\t0.003s\nok  \texample.com/y\t(cached)\n',
    counts: { passed: 2, failed: 0 },
  },
  'cargo test': {
    text: 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\ntest result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured\n',
    counts: { passed: 15, failed: 1 },
  },
  'no tests at all': { text: 'Built 12 passed modules\nTests are fun\n12 failed attempts\n', counts: null },
};

function countTests(pieces: readonly Buffer[]): TestCounts | null {
  const counter = new TestCounter();
  for (const piece of pieces) counter.addOutput(piece);
  return counter.counts();
}

describe('counting tests', () => {
  it.each(Object.entries(outputs))('reads %s', (_, { text, counts }) => {
    expect(countTests([Buffer.from(text)])).toEqual(counts);
  });

  it('does not depend on the chunks of the output', () => {
    const which = fc.constantFrom(...Object.values(outputs));
    fc.assert(
      fc.property(which, fc.array(fc.nat({ max: 200 }), { maxLength: 6 }), ({ text, counts }, cuts) => {
        const bytes = Buffer.from(text);
        const marks = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = marks.slice(1).map((mark, at) => bytes.subarray(marks[at], mark));
        expect(countTests(pieces)).toEqual(counts);
      }),
    );
  });

  it('reads the summary after a line of ten megabytes, without buffering it', () => {
    const noise = Buffer.from('='.repeat(10_000_000));
    expect(countTests([noise, Buffer.from('\n  3 passing (1ms)\n')])).toEqual({ passed: 3, failed: 0 });
  });
});
