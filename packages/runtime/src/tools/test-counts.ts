import { stripVTControlCharacters } from 'node:util';

export type TestCounts = { readonly passed: number; readonly failed: number };

/** A line that says how tests went is short. */
const lineCharsMax = 500;

/**
 * Counts the tests in what a test run writes, fed piece by piece: the summary may stand in the middle of an output that is
 * too long to keep. Knows vitest, jest, node:test, mocha, pytest, go test and cargo test; several runs are added up.
 */
export class TestCounter {
  readonly #decoder = new TextDecoder();
  #line = '';
  #passed = 0;
  #failed = 0;
  #found = false;
  #goPackages = { passed: 0, failed: 0 };

  hear(chunk: Buffer): void {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of lines.entries()) {
      this.#line = (this.#line + piece).slice(0, lineCharsMax);
      if (index < lines.length - 1) this.#endLine();
    }
  }

  /** Null when nothing was said of any test. */
  counts(): TestCounts | null {
    this.#endLine();
    if (this.#found) return { passed: this.#passed, failed: this.#failed };
    // Without -v, go says nothing of single tests that pass; then its packages have to do.
    const { passed, failed } = this.#goPackages;
    return passed + failed === 0 ? null : { passed, failed };
  }

  #endLine(): void {
    const line = stripVTControlCharacters(this.#line).trimEnd();
    this.#line = '';
    const go = /^(ok|FAIL)\s+\S+\s+(?:\(cached\)|\[build failed\]|[\d.]+s)/.exec(line);
    if (go !== null) this.#goPackages[go[1] === 'ok' ? 'passed' : 'failed'] += 1;
    const counts = countsIn(line);
    if (counts === null) return;
    this.#found = true;
    this.#passed += counts.passed;
    this.#failed += counts.failed;
  }
}

function countsIn(line: string): TestCounts | null {
  const reader = readers.find(({ summary }) => summary.test(line));
  if (reader === undefined) return null;
  return { passed: sum(line, reader.passed), failed: sum(line, reader.failed) };
}

function sum(line: string, pattern: RegExp | null): number {
  if (pattern === null) return 0;
  return Array.from(line.matchAll(pattern)).reduce((total, [, count]) => total + Number(count ?? 1), 0);
}

/** Which lines say how tests went, and where in them the numbers stand; a pattern without a number counts as one. */
type Reader = { readonly summary: RegExp; readonly passed: RegExp | null; readonly failed: RegExp | null };

const readers: readonly Reader[] = [
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
  // pytest: "=== 1 failed, 12 passed, 1 error in 0.12s ===", without the signs when quiet
  {
    summary: /^=* ?\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.* in [\d.]+s/,
    passed: /(\d+) (?:passed|xfailed)/g,
    failed: /(\d+) (?:failed|errors?|xpassed)/g,
  },
  // go test: "--- FAIL: TestSum (0.00s)"; tests within tests are indented and not counted
  { summary: /^--- (?:PASS|FAIL): /, passed: /^--- PASS/g, failed: /^--- FAIL/g },
  // cargo test: "test result: FAILED. 12 passed; 1 failed; 0 ignored; …"
  { summary: /^test result: \w+\. \d+ passed/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
];
