import { stripVTControlCharacters } from 'node:util';

export type TestCounts = { readonly passed: number; readonly failed: number };

/** Summary lines of test runners are short. */
const lineCharsMax = 500;

/**
 * Counts tests in the streamed output of a test run, because the summary may be in the middle of an output too long to
 * buffer. Supports vitest, jest, node:test, mocha, pytest, go test and cargo test; several runs are added up.
 */
export class TestCounter {
  readonly #decoder = new TextDecoder();
  #line = '';
  #passed = 0;
  #failed = 0;
  #hasCounts = false;
  #goPackages = { passed: 0, failed: 0 };

  addOutput(chunk: Buffer): void {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of lines.entries()) {
      this.#line = (this.#line + piece).slice(0, lineCharsMax);
      if (index < lines.length - 1) this.#endLine();
    }
  }

  /** Returns null if the output mentions no tests. */
  counts(): TestCounts | null {
    this.#endLine();
    if (this.#hasCounts) return { passed: this.#passed, failed: this.#failed };
    // Without -v, go does not list passing tests, so count packages instead.
    const { passed, failed } = this.#goPackages;
    return passed + failed === 0 ? null : { passed, failed };
  }

  #endLine(): void {
    const line = stripVTControlCharacters(this.#line).trimEnd();
    this.#line = '';
    const go = /^(ok|FAIL)\s+\S+\s+(?:\(cached\)|\[build failed\]|[\d.]+s)/.exec(line);
    if (go !== null) this.#goPackages[go[1] === 'ok' ? 'passed' : 'failed'] += 1;
    const counts = parseTestCounts(line);
    if (counts === null) return;
    this.#hasCounts = true;
    this.#passed += counts.passed;
    this.#failed += counts.failed;
  }
}

function parseTestCounts(line: string): TestCounts | null {
  const reader = summaryPatterns.find(({ summary }) => summary.test(line));
  if (reader === undefined) return null;
  return { passed: sumMatches(line, reader.passed), failed: sumMatches(line, reader.failed) };
}

function sumMatches(line: string, pattern: RegExp | null): number {
  if (pattern === null) return 0;
  return Array.from(line.matchAll(pattern)).reduce((total, [, count]) => total + Number(count ?? 1), 0);
}

/** Matches summary lines and extracts their numbers; a pattern without a number counts as one. */
type SummaryPattern = {
  readonly summary: RegExp;
  readonly passed: RegExp | null;
  readonly failed: RegExp | null;
};

const summaryPatterns: readonly SummaryPattern[] = [
  // vitest: "      Tests  1 failed | 12 passed | 2 skipped (15)"
  { summary: /^\s*Tests {2,}\d+ \w/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
  // jest: "Tests:       1 failed, 2 skipped, 12 passed, 15 total"
  { summary: /^Tests: +\d+ \w.* total$/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
  // node:test: "ℹ pass 4" and "ℹ fail 1", or "# pass 4" in TAP
  { summary: /^(?:ℹ|#) pass \d+$/, passed: /(\d+)$/g, failed: null },
  { summary: /^(?:ℹ|#) fail \d+$/, passed: null, failed: /(\d+)$/g },
  // mocha: "  12 passing (34ms)" and "  1 failing"
  { summary: /^\s*\d+ passing \(/, passed: /(\d+) passing/g, failed: null },
  { summary: /^\s*\d+ failing$/, passed: null, failed: /(\d+) failing/g },
  // pytest: "=== 1 failed, 12 passed, 1 error in 0.12s ===", without the equals signs in quiet mode
  {
    summary: /^=* ?\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.* in [\d.]+s/,
    passed: /(\d+) (?:passed|xfailed)/g,
    failed: /(\d+) (?:failed|errors?|xpassed)/g,
  },
  // go test: "--- FAIL: TestSum (0.00s)"; subtests are indented and not counted
  { summary: /^--- (?:PASS|FAIL): /, passed: /^--- PASS/g, failed: /^--- FAIL/g },
  // cargo test: "test result: FAILED. 12 passed; 1 failed; 0 ignored; …"
  { summary: /^test result: \w+\. \d+ passed/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
];
