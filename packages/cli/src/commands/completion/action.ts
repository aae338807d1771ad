import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { renderBashScript, renderZshScript, renderFishScript } from './shell-scripts.ts';
import { buildCompletionTree, type CompletionCommand } from './tree.ts';
import { createUnknownNameError } from '../../options/parse-options.ts';

const scriptRenderers: ReadonlyMap<string, (tree: CompletionCommand) => string> = new Map([
  ['bash', renderBashScript],
  ['zsh', renderZshScript],
  ['fish', renderFishScript],
]);

/** Prints the completion script for a shell, or the session ids that the scripts request while completing. */
export async function printCompletion(shell: string, program: Command, io: CommandIo): Promise<ExitCode> {
  if (shell === 'sessions') {
    const { listCompletionSessionIds } = await import('./session-ids.ts');
    for (const id of await listCompletionSessionIds('.')) io.stdout.write(`${id}\n`);
    return exitCodes.finished;
  }
  const renderScript = scriptRenderers.get(shell);
  if (renderScript === undefined) {
    throw createUnknownNameError('completion script for', shell, [...scriptRenderers.keys()]);
  }
  io.stdout.write(renderScript(buildCompletionTree(program)));
  return exitCodes.finished;
}
