import type { Command } from 'commander';
import type { CommandIo } from '../output/command-io.ts';
import type { ModelFlags } from '@pawl/runtime/agent-setup';
import type { BudgetFlags } from './parse-options.ts';

/** The dependencies of every command. */
export type CommandContext = {
  readonly io: CommandIo;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly exit: (code: number) => void;
};

/** Formats the examples of a command's help. */
export function formatExamples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Options common to all commands on stored sessions. */
export type SessionCommandOptions = { readonly dir: string; readonly store?: string; readonly json?: true };

/** Adds the options of all commands on stored sessions. */
export function addSessionOptions(command: Command): Command {
  return command
    .option('-d, --dir <folder>', 'folder whose sessions are used', '.')
    .option('--store <where>', storeHelp);
}

export const sessionArgumentHelp = 'session id, id prefix, or "last" for the newest session of this folder';

export const profileHelp = 'profile: pawl, loom, nexora, savant, lkj, lkj1, or a .json or .yaml file';

export const modelHelp = 'model: librarian (offline), openai:…, anthropic:…, google:…, ollama:…';

export const summaryHelp = 'model used for context compaction: a model spec, or "same" for the main model';

export const modeHelp = 'permission mode: read-only, ask, auto-edit, full-auto';

/** Adds the options that select the Redis of the workers. */
export function addRedisOptions(command: Command, folderHelp: string): Command {
  return command
    .option('-d, --dir <folder>', folderHelp, '.')
    .option('--store <url>', 'Redis shared by all workers, such as redis://host:6379 (or PAWL_REDIS_URL)')
    .option('--json', 'print one JSON object per line');
}

export const allowLossFlag = '--allow-loss';
export const allowLossHelp = 'allow a Redis without durable persistence (warn only)';

/** Adds the budget options. Cost can be limited only where prices can be given. */
export function addBudgetOptions(command: Command, { withCost }: { readonly withCost: boolean }): Command {
  command
    .option('--max-steps <n>', 'maximum number of model calls; the last one requests the final answer')
    .option('--max-tool-calls <n>', 'tool calls after which the final answer is requested')
    .option('--max-tokens <n>', 'input and output tokens after which the final answer is requested');
  if (withCost)
    command.option('--max-cost <n>', 'cost after which the final answer is requested; requires prices');
  return command.option('--max-seconds <n>', 'seconds after which the final answer is requested');
}

/** In a separate file, so that showing help loads no store. */
export const storeHelp =
  'session store: user, workspace (.pawl in the folder), none, a database file, or redis://host:6379 (default: "user")';

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
    readonly verbose?: true;
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

export const verboseHelp = 'print the transitions of the state machine too, as lines';

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
    .option('--verbose', verboseHelp)
    .option('-q, --quiet', 'print only the answer')
    .option('--json', 'print one JSON object per line: the events, then the result');
}
