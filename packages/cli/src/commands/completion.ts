import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { completionTree, type CompletedCommand } from './completion-tree.ts';
import { zshScript } from './completion-zsh.ts';
import { noSuch } from '../one-of.ts';

const scripts: ReadonlyMap<string, (tree: CompletedCommand) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** Prints the script for a shell, or what the scripts ask for while they complete. */
export async function completion(shell: string, program: Command, io: Io): Promise<ExitCode> {
  if (shell === 'sessions') {
    const { sessionIds } = await import('./completion-sessions.ts');
    for (const id of await sessionIds('.')) io.stdout.write(`${id}\n`);
    return exitCodes.finished;
  }
  const script = scripts.get(shell);
  if (script === undefined) throw noSuch('script for', shell, [...scripts.keys()]);
  io.stdout.write(script(completionTree(program)));
  return exitCodes.finished;
}
