import { describe, expect, it } from 'vitest';
import { looksLikeFailure } from '../src/conversation-state.ts';

describe('tool outputs', () => {
  it.each([
    'Error: no such file',
    'TypeError: x is not a function',
    '  [ERROR] cannot connect',
    'An error occurred while running the tool. Please try again. Error: Error: no',
    'Traceback (most recent call last):\n  File "x.py"',
    'Exit code: 1\nmake: nothing to be done',
    'Process exited with code 2',
    '{"error": "not found"}',
    'FAILED tests/test_x.py',
  ])('that are recognized as failures: %s', (text) => {
    expect(looksLikeFailure(text)).toBe(true);
  });

  it.each([
    '',
    'All tests pass.',
    'Exit code: 0',
    '{"error": null, "rows": []}',
    'errors.ts: 12 lines',
    'The log says: Error: no such file',
    '3 passed, 0 failed',
  ])('that are not: %s', (text) => {
    expect(looksLikeFailure(text)).toBe(false);
  });

  it('are checked only at their start', () => {
    expect(looksLikeFailure(`${' '.repeat(1_000_000)}Error: late`)).toBe(false);
    expect(looksLikeFailure('e'.repeat(1_000_000))).toBe(false);
  });
});
