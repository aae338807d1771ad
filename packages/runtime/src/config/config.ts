import type { BudgetLimits } from '@pawl/core';
import type { AutoCommitOptions } from '../hooks/auto-commit.ts';
import type { HookCommand } from '../hooks/hook.ts';
import type { McpServer } from '../mcp/mcp-server.ts';
import type { ModelPrices } from '../models/prices.ts';
import type { PermissionMode } from '../permission/modes.ts';
import type { PermissionRule } from '../permission/rule.ts';
import type { LimitsByTool } from '../tools/limits.ts';
import { formatNameSuggestion } from '../text/nearest-name.ts';
import { toPrintableLine } from '../text/one-line.ts';
import {
  DataFileError,
  formatDataFileProblem,
  type DataFileErrorCode,
  type DataFileProblem,
} from '../data-files/data-file-error.ts';

type ToolHookCommand = HookCommand & { readonly tools?: readonly string[] };

export type ConfigHooks = {
  readonly beforeTool?: readonly ToolHookCommand[];
  readonly afterTools?: readonly ToolHookCommand[];
  readonly finish?: readonly HookCommand[];
  readonly autoCommit?: boolean | AutoCommitOptions;
};

/** The `agent` keys of a configuration, in the spelling of other agent systems. */
export type AgentKeys = {
  readonly max_retries?: number;
  readonly state_machine?: {
    readonly enable?: boolean;
    readonly stuck_threshold?: number;
    readonly oscillation_window?: number;
    readonly progress_check_interval?: number;
    readonly max_recent_actions?: number;
    readonly max_recent_errors?: number;
  };
};

/** Telemetry export settings. Ignored in a project's configuration. */
export type TelemetryKeys = {
  /** Endpoint of a collector that accepts OTLP over HTTP. */
  readonly otlp?: string;
  readonly headers?: { readonly [name: string]: string };
  /** False disables traces even if an endpoint is set. */
  readonly traces?: boolean;
  readonly metrics?: boolean;
  readonly serviceName?: string;
  /** Whether to export message and tool content, with secrets masked. */
  readonly captureContent?: boolean;
  readonly disabled?: boolean;
};

/** Settings of a user or a project. Omitted keys fall back to other layers or to defaults. */
export type Config = {
  /** A model spec as in `createModelFromSpec`: `anthropic:…`, `librarian`. */
  readonly model?: string;
  /** Replaces the provider's default base URL for this model. */
  readonly baseUrl?: string;
  /** Model used for context compaction: a model spec or `same`. If omitted, no model writes summaries. */
  readonly summaryModel?: string;
  /** Name or file path of a profile. */
  readonly profile?: string;
  readonly permission?: { readonly mode?: PermissionMode; readonly rules?: readonly PermissionRule[] };
  readonly mcpServers?: readonly McpServer[];
  readonly hooks?: ConfigHooks;
  readonly budgets?: Partial<BudgetLimits>;
  /** Keyed by model spec. */
  readonly prices?: { readonly [model: string]: ModelPrices };
  /** Session store: `user`, `workspace`, `none`, a database file, or `redis://…`. */
  readonly store?: string;
  /** Keys in the spelling of other agent systems; `applyAgentKeys` applies them to a profile. */
  readonly agent?: AgentKeys;
  /** Command line that runs the tests. */
  readonly testCommand?: string;
  /** Timeout and output limit by tool name. */
  readonly toolLimits?: LimitsByTool;
  /** Whether the project's AGENTS.md files are part of the prompt. */
  readonly projectInstructions?: boolean;
  readonly telemetry?: TelemetryKeys;
};

export type ConfigFileErrorCode =
  | DataFileErrorCode
  /** The folder contains more than one configuration file. */
  | 'ambiguous'
  /** The TypeScript configuration could not be run or did not export a configuration. */
  | 'code';

/** A configuration file cannot be used. The message is that of the first problem. */
export class ConfigFileError extends DataFileError<ConfigFileErrorCode> {
  override readonly name = 'ConfigFileError';
  /** All problems that were found, each with a message like that of the error. */
  readonly problems: readonly { readonly message: string; readonly line: number | null }[];

  constructor(
    code: ConfigFileErrorCode,
    path: string,
    first: DataFileProblem,
    others: readonly DataFileProblem[] = [],
  ) {
    super(code, path, first);
    this.problems = [first, ...others].map((each) => ({
      message: formatDataFileProblem(path, each),
      line: each.line ?? null,
    }));
  }
}

/** Session stores that are selected by a keyword. */
const storeKeywords = ['user', 'workspace', 'none'] as const;

/**
 * Returns what is wrong with the location of a session store, and what it may be; null if it is a keyword, a Redis
 * URL or a file. A file needs a folder or the extension of a database, so that a misspelled keyword creates no file.
 * The message never includes a URL, because it may contain a password.
 */
export function findStoreProblem(location: string): string | null {
  if (isStoreKeyword(location)) return null;
  const [, scheme] = /^([a-z][a-z\d+.-]+):/i.exec(location) ?? [];
  if (scheme === undefined) {
    if (/[/\\]|\.(?:db3?|sqlite3?)$/i.test(location)) return null;
    const hint = formatNameSuggestion(location, [...storeKeywords, 'redis://127.0.0.1:6379']);
    return `${toPrintableLine(JSON.stringify(location), 60)} is not a valid session store.${hint} ${storeForms}`;
  }
  const isRedis = /^rediss?:\/\//.test(location);
  if (!isRedis) return `A location that starts with "${scheme}:" is not a valid session store. ${storeForms}`;
  if (URL.canParse(location) && new URL(location).hostname !== '') return null;
  return `A Redis store needs a host. ${storeForms}`;
}

export function isStoreKeyword(location: string): boolean {
  return storeKeywords.some((keyword) => keyword === location);
}

const storeForms =
  'Use user, workspace, none, a database file such as ./sessions.db, or redis://127.0.0.1:6379.';

/** Returns whether a word that could be a name is the path of a data file. */
export function isDataFilePath(text: string): boolean {
  return /[/\\]|\.(?:json|ya?ml)$/i.test(text);
}
