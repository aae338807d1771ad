import { createTracker } from '@pawl/governor/tracker';

// Your loop, your model, your tools: the tracker only observes and reports when the agent gets stuck.
const tracker = createTracker({
  sessionId: 'demo',
  preset: 'nexora',
  now: Date.now,
  onStuck: ({ rule, evidence }) => console.log(`found ${rule} in calls ${evidence.join(', ')}`),
});

// Simulated tool calls of a model: one edit that works, then the same failing edit over and over.
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
