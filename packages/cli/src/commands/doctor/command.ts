import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl doctor`. */
export function defineDoctorCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${formatExamples('pawl doctor', 'pawl doctor --json | jq .ok')}\n\nThe exit code is 1 if a requirement is missing.`,
    )
    .action(async (options: { json?: true }) => {
      const { runDoctor } = await import('./action.ts');
      exit(await runDoctor(options, io));
    });
}
