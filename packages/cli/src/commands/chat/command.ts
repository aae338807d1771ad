import type { Command } from 'commander';
import {
  formatExamples,
  type CommandContext,
  addRunOptions,
  type RunFlags,
} from '../../options/command-options.ts';

/** Defines `pawl chat`. */
export function defineChatCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addRunOptions(command.argument('[message...]', 'first message'))
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl chat',
        'pawl chat --model openai:gpt-5 "What does this project do?"',
        `printf 'When is the party?\\nWho comes?\\n' | pawl chat --quiet`,
      )}\n\nWithout a terminal, each line of standard input is a message, and each answer goes to standard output.`,
    )
    .action(async (message: string[], options: RunFlags) => {
      const { startChat } = await import('../../run/start-run.ts');
      exit(await startChat(message.length === 0 ? null : message.join(' '), { ...options, signal }, io));
    });
}
