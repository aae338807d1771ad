import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl trust`. */
export function defineTrustCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .argument('[folder]', 'folder', '.')
    .option('--revoke', 'withdraw the trust')
    .addHelpText('after', formatExamples('pawl trust', 'pawl trust --revoke ~/downloaded-project'))
    .action(async (folder: string, options: { readonly revoke?: true }) => {
      const { trustFolder } = await import('./action.ts');
      exit(await trustFolder(folder, options, io));
    });
}
