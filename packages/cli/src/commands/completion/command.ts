import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl completion`. */
export function defineCompletionCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .argument('<shell>', 'bash, zsh, fish, or "sessions" for the session ids of this folder, one per line')
    .addHelpText(
      'after',
      formatExamples(
        'source <(pawl completion bash)',
        'pawl completion zsh > ~/.zfunc/_pawl',
        'pawl completion fish > ~/.config/fish/completions/pawl.fish',
      ),
    )
    .action(async (shell: string) => {
      const { printCompletion } = await import('./action.ts');
      exit(await printCompletion(shell, command.parent ?? command, io));
    });
}
