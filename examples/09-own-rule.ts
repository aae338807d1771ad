// A custom rule next to the built-in rules. It examines the latest calls and reports what it finds.
import type { Rule } from '@pawl/governor';
import { createTracker } from '@pawl/governor/tracker';

const readingOnly: Rule = {
  id: 'reading-only',
  rationale: 'An agent that is to mend something and only reads for twelve calls puts off the first change.',
  thresholds: { advise: 6, block: null, stop: 12 },
  match(window) {
    const lastChange = window.findLastIndex(({ tool }) => tool === 'edit' || tool === 'write');
    const evidence = window.slice(lastChange + 1);
    return {
      count: evidence.length,
      evidence,
      // Advice is given once per loop: here, once per series of reads.
      loop: `since ${lastChange < 0 ? 'the start' : String(window[lastChange]?.seq)}`,
      reason: `${evidence.length} calls in a row changed nothing`,
      advice: 'You have read enough: make the smallest change that could work, and run the tests.',
    };
  },
};

const tracker = createTracker({
  sessionId: 'demo',
  preset: 'pawl',
  now: Date.now,
  ownRules: [readingOnly],
  onWarning: ({ rule, advice }) => console.log(`${rule} advises: ${advice}`),
});

// Every file and every output is new, so no built-in rule matches.
for (let number = 1; number <= 20; number += 1) {
  const file = `src/part-${number}.ts`;
  tracker.recordToolCall({
    tool: 'read',
    file,
    args: { path: file },
    success: true,
    output: `part ${number}`,
  });
  const { stuck, rule, reason } = tracker.stuck();
  if (!stuck) continue;
  console.log(`${rule} ends it after ${number} calls: ${reason}`);
  break;
}
