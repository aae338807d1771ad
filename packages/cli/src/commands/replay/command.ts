import type { Command } from 'commander';
import type { ModelFlags } from '@pawl/runtime/agent-setup';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type ReplayFlags = SessionCommandOptions &
  ModelFlags & {
    readonly file?: string;
    readonly withModel?: true;
    readonly profile?: string;
    readonly all?: true;
  };

/** Defines `pawl replay`. */
export function defineReplayCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('[session]', sessionArgumentHelp)
    .option('--file <file>', 'exported session (json or jsonl) to replay instead')
    .option('--with-model', 'send each request to the model again and compare the replies')
    .option('--all', 'with --with-model, continue after the first reply that differs')
    .option('-m, --model <spec>', 'model to query (default: the model of the session)')
    .option('-p, --profile <name>', 'profile whose protocol is used (default: the profile of the session)')
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('--max-output-tokens <n>', 'maximum number of tokens per reply')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl replay last',
        'pawl replay --file session.jsonl',
        'pawl replay 3f2a --with-model --model openai:gpt-5-mini --all',
      )}\n\nThe exit code is 1 if something differs, otherwise 0.`,
    )
    .action(async (sessionRef: string | undefined, options: ReplayFlags) => {
      const { runReplay } = await import('./action.ts');
      exit(await runReplay(sessionRef, { ...options, signal }, io));
    });
}
