import { createTracker } from '@pawl/core';

// Your loop, your model, your tools; the tracker only watches, and says when the work goes round in circles.
const tracker = createTracker({
  sessionId: 'demo',
  preset: 'nexora',
  now: Date.now,
  onStuck: ({ rule, evidence }) => console.log(`found ${rule} in calls ${evidence.join(', ')}`),
});

// What a model might ask for: one edit that works, then one that cannot, over and over.
const plan = ['notes.md', ...Array.from({ length: 100 }, () => 'main.go')];

for (const file of plan) {
  const error = file === 'main.go' ? 'old_string not found' : '';
  tracker.recordToolCall({ tool: 'edit', file, error, success: error === '' });
  const { stuck, reason, advice } = tracker.stuck();
  console.log(`edit ${file}: ${error || 'done'}`);
  if (!stuck) continue;
  tracker.transitionTo('Halted', reason);
  console.log(`halted after ${tracker.progress().calls} of ${plan.length} calls: ${reason}`);
  console.log(`tell the model: ${advice}`);
  break;
}
