// Entry point of `npm start`. Plain JavaScript, because on a machine with an older Node it runs before the project's
// own Node is installed. It runs the setup itself, because npm skips `prestart` for users who disable install scripts.
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
  // Search only the docs: in the whole project, this file would be the best match.
  const goal = args.length === 0 ? ['--dir', join(root, 'docs'), question] : args;
  // Print this last, even if the command runs in a child process.
  process.on('exit', () => {
    const session = args.length === 0 ? ' last --dir docs' : '';
    console.error(`\nSee in a browser how it got there: npx pawl dashboard${session}`);
  });
  // The command reads its arguments from process.argv and, if this Node is too old, restarts on the project's Node.
  process.argv.splice(2, args.length, 'run', ...goal);
  await import('../packages/cli/bin/pawl.js');
}
