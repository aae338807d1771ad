import type { Command } from 'commander';
import {
  formatExamples,
  addSessionCommand,
  type SessionCommandOptions,
  type CommandContext,
} from './program-parts.ts';

type DashboardCommandFlags = SessionCommandOptions & {
  readonly port?: string;
  readonly host?: string;
  readonly open: boolean;
};

/** Adds the command that shows sessions in a browser. */
export function addDashboardCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'dashboard',
    'see sessions in a browser: watch them think, step in, go back in time',
  )
    .argument('[session]', 'the one to begin with: its id, the beginning of it, or "last"')
    .option('--port <n>', 'where to listen; 0 for any that is free (default: 4747, or any if that is taken)')
    .option(
      '--host <address>',
      'listen where others can reach it; needs a token in PAWL_DASHBOARD_TOKEN (default: "127.0.0.1")',
    )
    .option('--no-open', 'do not open a browser')
    .option('--json', 'print one JSON object a line')
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
      const { runDashboard } = await import('./commands/dashboard.ts');
      exit(await runDashboard({ ...options, session, signal }, io));
    });
}
