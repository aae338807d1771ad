// What `npm start` runs. Plain JavaScript, because on a machine with an older Node it runs before the project's own
// Node is there; and it sets up by itself, because npm skips `prestart` for people who forbid install scripts.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './setup/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const question = 'What does the governor do when an agent goes round in circles?';

if (setUp(root)) {
  await run(process.argv.slice(2));
} else {
  process.exitCode = 1;
}

async function run(args) {
  if (args.length === 0)
    console.error(`Asking the docs: ${question} (Your own: npm start -- "your question")\n`);
  // The docs only: in the whole project this very file would be the best match.
  const goal = args.length === 0 ? ['--dir', join(root, 'docs'), question] : args;
  // Last of all, also where the command runs in a process of its own.
  process.on('exit', () => {
    const session = args.length === 0 ? ' last --dir docs' : '';
    console.error(`\nSee in a browser how it got there: npx pawl dashboard${session}`);
  });
  // The command reads its arguments where every command does, and goes on by itself on the project's Node if this one
  // is too old.
  process.argv.splice(2, args.length, 'run', ...goal);
  await import('../packages/cli/bin/pawl.js');
}
