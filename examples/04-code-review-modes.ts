import { defineChart, transitionMode, startMode } from '@pawl/core/modes';

// A reviewer reads before it judges and judges before it comments. State names are type-checked.
const review = defineChart({
  name: 'code review',
  initial: 'reading',
  finish: { tools: ['submit_review'], state: 'done' },
  states: [
    { name: 'reading', tools: ['read_diff', 'read_file'], next: ['judging'], afterText: 'judging' },
    { name: 'judging', tools: ['run_tests'], next: ['reading', 'commenting', 'done'] },
    { name: 'commenting', tools: ['add_comment'], next: ['reading', 'judging', 'done'] },
    { name: 'done', terminal: true },
  ],
});

// Simulated tool calls of a model; `at` is a time in milliseconds.
let mode = startMode(review, 0);
let at = 0;
for (const tool of ['read_diff', 'add_comment', null, 'run_tests', 'add_comment', 'submit_review']) {
  const tools = tool === null ? [] : [tool];
  at += 1_000;
  const { mode: next, error } = transitionMode(review, mode, {
    type: 'reply-read',
    at,
    tools,
    nextState: null,
    text: tool === null,
  });
  console.log(`${mode.state}: ${tool ?? 'some thoughts'} → ${error ?? next.state}`);
  mode = next;
}
