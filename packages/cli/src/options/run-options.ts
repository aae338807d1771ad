import type { Profile } from '@pawl/core/profiles';
import { type ModelFlags, resolveProfile } from '@pawl/runtime/agent-setup';
import type { Command } from 'commander';
import type { BudgetFlags } from './parse-options.ts';
import {
  addBudgetOptions,
  modeHelp,
  modelHelp,
  profileHelp,
  storeHelp,
  summaryHelp,
} from './command-options.ts';
import { withSetupUsageErrors } from './load-config.ts';

/** The flags of a run or a chat. */
export type RunFlags = BudgetFlags &
  ModelFlags & {
    readonly dir: string;
    readonly profile?: string;
    readonly mode?: string;
    readonly autoCommit?: true;
    readonly watchResources?: true;
    readonly open?: true;
    readonly plain?: true;
    readonly quiet?: true;
    readonly store?: string;
    readonly trace?: true;
    readonly traceFile?: string;
    readonly logFile?: string;
    readonly logLevel?: string;
    readonly json?: true;
  };

/** Adds the options for starting a session, for runs and chats. */
export function addRunOptions(command: Command): Command {
  command
    .option('-d, --dir <folder>', 'folder to work in', '.')
    .option('-p, --profile <name>', `${profileHelp} (default: "pawl")`)
    .option('-m, --model <spec>', `${modelHelp} (default: "librarian")`)
    .option('--mode <mode>', `${modeHelp} (default: "ask")`)
    .option('--auto-commit', 'commit each step that changes files to git')
    .option('--watch-resources', watchResourcesHelp)
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('--summary-model <spec>', summaryHelp)
    .option('--price-in <n>', 'input price per 1M tokens, for --max-cost')
    .option('--price-out <n>', 'output price per 1M tokens')
    .option('--max-output-tokens <n>', 'maximum number of tokens per reply');
  addBudgetOptions(command, { withCost: true })
    .option('--store <where>', storeHelp)
    .option('--open', 'also show the run in a browser, like pawl dashboard');
  return addOutputOptions(command);
}

export const watchResourcesHelp = 'pause while the machine is short of CPU, memory or disk space';

/** Adds the options for the trace, the log and the output. */
export function addOutputOptions(command: Command): Command {
  return command
    .option(
      '--trace',
      'write every prompt, reply and transition to logs/agent_trace.log, one JSON object per line',
    )
    .option('--trace-file <file>', 'trace file to write instead of logs/agent_trace.log')
    .option(
      '--log-file <file>',
      'file to append events to, one JSON object per line, without message contents',
    )
    .option('--log-level <level>', 'log level: trace, debug, info, warn, error (default: "info")')
    .option('--plain', 'print lines instead of the live view')
    .option('-q, --quiet', 'print only the answer')
    .option('--json', 'print one JSON object per line: the events, then the result');
}

/** Resolves `--profile` to a built-in profile or a profile file. */
export function resolveProfileOption(nameOrPath: string): Promise<Profile> {
  return withSetupUsageErrors(() => resolveProfile(nameOrPath));
}
