import type { Command } from 'commander';
import {
  formatExamples,
  addRedisOptions,
  allowLossFlag,
  allowLossHelp,
  type CommandContext,
} from '../../options/command-options.ts';
import type { WorkerFlags } from './action.ts';

/** Defines `pawl worker`. */
export function defineWorkerCommand(command: Command, { io, signal, exit }: CommandContext): void {
  const folder = 'folder that sessions may work in, including subfolders';
  addRedisOptions(command, folder)
    .option('-c, --concurrency <n>', 'number of concurrent sessions per tenant', '4')
    .option(
      '--lease <seconds>',
      'lease duration; without a heartbeat for this long, another worker takes over',
      '10',
    )
    .option('--grace <seconds>', 'time that running work may take to finish on shutdown', '5')
    .option('--keep <span>', 'retention of ended sessions: 12h, 30d (default: unlimited)')
    .option('--metrics-port <n>', 'local port that serves Prometheus metrics at /metrics')
    .option(allowLossFlag, allowLossHelp)
    .addHelpText(
      'after',
      formatExamples(
        'pawl worker --store redis://localhost:6379',
        'pawl worker --dir ~/projects --concurrency 8',
      ),
    )
    .action(async (options: Omit<WorkerFlags, 'signal'>) => {
      const { runWorker } = await import('./action.ts');
      exit(await runWorker({ ...options, signal }, io));
    });
}
