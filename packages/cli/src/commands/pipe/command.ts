import type { Command } from 'commander';
import { formatExamples, profileHelp, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl pipe`. */
export function definePipeCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .option('-p, --profile <name>', profileHelp, 'pawl')
    .option('--state <how>', 'state in each answer: compact, full, status', 'compact')
    .option('--id <id>', 'session id (default: "pipe")')
    .option('--schema', 'print the JSON Schema of the events and exit')
    .addHelpText(
      'after',
      formatExamples(
        `printf '{"type":"user-message","at":0,"text":"Hello"}\\n' | pawl pipe`,
        'pawl pipe --profile loom --state status < events.jsonl',
        'pawl pipe --profile my-profile.yaml < events.jsonl',
        'pawl pipe --schema > events.schema.json',
      ),
    )
    .action(async (options: { profile: string; state: string; id?: string; schema?: true }) => {
      const { runPipe, printEventSchema } = await import('./action.ts');
      exit(options.schema === true ? await printEventSchema(io) : await runPipe({ ...options, signal }, io));
    });
}
