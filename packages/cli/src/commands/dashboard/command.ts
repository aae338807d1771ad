import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type DashboardCommandFlags = SessionCommandOptions & {
  readonly port?: string;
  readonly host?: string;
  readonly open: boolean;
};

/** Defines `pawl dashboard`. */
export function defineDashboardCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('[session]', 'session to show first: an id, an id prefix, or "last"')
    .option(
      '--port <n>',
      'port to listen on; 0 for any free port (default: 4747, or any free port if it is in use)',
    )
    .option(
      '--host <address>',
      'address to listen on; other than 127.0.0.1 requires a token in PAWL_DASHBOARD_TOKEN (default: "127.0.0.1")',
    )
    .option('--no-open', 'do not open a browser')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl dashboard',
        'pawl dashboard last',
        'pawl dashboard --store redis://localhost:6379',
        'pawl dashboard --no-open --port 8080',
        'PAWL_DASHBOARD_TOKEN=… pawl dashboard --host 0.0.0.0',
      ),
    )
    .action(async (session: string | undefined, options: DashboardCommandFlags) => {
      const { runDashboard } = await import('./action.ts');
      exit(await runDashboard({ ...options, session, signal }, io));
    });
}
