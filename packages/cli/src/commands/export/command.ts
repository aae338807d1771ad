import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl export`. */
export function defineExportCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<session>', sessionArgumentHelp)
    .option('--as <form>', 'format: json, jsonl, markdown, test', 'json')
    .option('-o, --out <file>', 'output file (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText(
      'after',
      formatExamples(
        'pawl export last --as markdown > transcript.md',
        'pawl export 3f2a --as jsonl --out session.jsonl',
        'pawl export last --as test --out test/found-bug.test.ts',
      ),
    )
    .action(
      async (
        sessionRef: string,
        options: SessionCommandOptions & { as: string; out?: string; force?: true },
      ) => {
        const { exportSession } = await import('./action.ts');
        exit(await exportSession(sessionRef, options, io));
      },
    );
}
