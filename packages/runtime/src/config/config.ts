import type { Budgets } from '@pawl/core';
import type { AutoCommitOptions } from '../hooks/auto-commit.ts';
import type { HookCommand } from '../hooks/hook.ts';
import type { McpServer } from '../mcp/mcp-server.ts';
import type { Prices } from '../models/prices.ts';
import type { PermissionMode } from '../permission/modes.ts';
import type { PermissionRule } from '../permission/rule.ts';
import type { LimitsByTool } from '../tools/limits.ts';

type ToolHookCommand = HookCommand & { readonly tools?: readonly string[] };

export type ConfigHooks = {
  readonly beforeTool?: readonly ToolHookCommand[];
  readonly afterTools?: readonly ToolHookCommand[];
  readonly finish?: readonly HookCommand[];
  readonly autoCommit?: boolean | AutoCommitOptions;
};

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

/** Where to send what sessions do, for those who gather it. A project has no say in it. */
export type TelemetryKeys = {
  /** The address of a collector that takes OTLP over HTTP. */
  readonly otlp?: string;
  readonly headers?: { readonly [name: string]: string };
  /** False to send none, though there is an address. */
  readonly traces?: boolean;
  readonly metrics?: boolean;
  readonly serviceName?: string;
  /** Send also what was said, without secrets. */
  readonly captureContent?: boolean;
  readonly disabled?: boolean;
};

/** What a user or a project has set. Whatever is left out is decided elsewhere. */
export type Config = {
  /** As `modelNamed` takes it: `anthropic:…`, `librarian`. */
  readonly model?: string;
  /** Where that model is reached, in place of its provider's own address. */
  readonly baseUrl?: string;
  /** Which model writes summaries of what is moved to storage, named in the same way, or `same`. None if left out. */
  readonly summaryModel?: string;
  /** The name of a profile, or the file of one. */
  readonly profile?: string;
  readonly permission?: { readonly mode?: PermissionMode; readonly rules?: readonly PermissionRule[] };
  readonly mcpServers?: readonly McpServer[];
  readonly hooks?: ConfigHooks;
  readonly budgets?: Partial<Budgets>;
  /** By model, named as in `model`. */
  readonly prices?: { readonly [model: string]: Prices };
  /** Where sessions are kept: `user`, `workspace`, `none`, a database file, or `redis://…`. */
  readonly store?: string;
  /** Keys as other systems write them; `withAgentKeys` puts them into a profile. */
  readonly agent?: AgentKeys;
  /** The command line that runs the tests. */
  readonly testCommand?: string;
  /** How long calls of a tool may take and how much they may say, by its name. */
  readonly toolLimits?: LimitsByTool;
  readonly telemetry?: TelemetryKeys;
};
