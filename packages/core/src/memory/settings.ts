import { memoryActionTypes, type MemoryActionType } from './memory-action.ts';

/** The logs in working memory. */
export const logNames = ['think', 'evaluation', 'command'] as const;
export type MemoryLogName = (typeof logNames)[number];

export type LogSettings = {
  readonly enable: boolean;
  /** Maximum number of entries; a new entry then drops the oldest. */
  readonly maxEntries: number;
  /** Prefix of the keys; three digits follow. */
  readonly keyPrefix: string;
};

export type TokenLimit = { readonly enable: boolean; readonly maxTokens: number };

export type MemorySettings = {
  /** At or above this size, paging is due. */
  readonly pagingLimit: TokenLimit;
  /** At or above this size, nothing is added unless paging makes room for it. */
  readonly hardLimit: TokenLimit;
  readonly logs: { readonly [Name in MemoryLogName]: LogSettings };
  /** The actions the model may request. */
  readonly actions: readonly MemoryActionType[];
  /** Whether search results are also added to working memory, for models that see nothing else. */
  readonly keepSearchResults: boolean;
};

export type MemoryProfile = 'pawl' | 'lkj' | 'lkj1';

const defaultTokenLimits = {
  pagingLimit: { enable: true, maxTokens: 4_096 },
  hardLimit: { enable: true, maxTokens: 8_192 },
} as const;

function createLogSettings(keyPrefix: string, enable = true): LogSettings {
  return { enable, maxEntries: 10, keyPrefix };
}

/** The actions of the first LKJAgent version. */
const lkj1Actions: readonly MemoryActionType[] = [
  'working_memory_add',
  'working_memory_remove',
  'storage_load',
  'storage_save',
];

/**
 * `pawl` keeps no logs, because the conversation has all of it. `lkj1` has only the think log, under its older name,
 * and four actions.
 */
export const memorySettings: { readonly [Profile in MemoryProfile]: MemorySettings } = {
  pawl: {
    ...defaultTokenLimits,
    logs: {
      think: createLogSettings('think_log_', false),
      evaluation: createLogSettings('evaluation_log_', false),
      command: createLogSettings('command_log_', false),
    },
    actions: memoryActionTypes,
    keepSearchResults: false,
  },
  lkj: {
    ...defaultTokenLimits,
    logs: {
      think: createLogSettings('think_log_'),
      evaluation: createLogSettings('evaluation_log_'),
      command: createLogSettings('command_log_'),
    },
    actions: memoryActionTypes,
    keepSearchResults: true,
  },
  lkj1: {
    ...defaultTokenLimits,
    logs: {
      think: createLogSettings('thinking_log_'),
      evaluation: createLogSettings('evaluation_log_', false),
      command: createLogSettings('command_log_', false),
    },
    actions: lkj1Actions,
    keepSearchResults: true,
  },
};

/** A valid prefix of a log's keys. */
export const logPrefixPattern: RegExp = /^[^\s,\d\p{C}]{1,60}$/u;

/** What `logPrefixPattern` requires, for an error message. */
export const logPrefixRequirement = 'text of 1 to 60 characters without whitespace, commas or digits';

/** Returns a log that shares its prefix with another, because the two would overwrite each other, or undefined. */
export function findLogWithSharedPrefix({ logs }: MemorySettings): MemoryLogName | undefined {
  const prefixes = logNames.map((name) => logs[name].keyPrefix);
  return logNames.find((_, index) => prefixes.indexOf(prefixes[index] ?? '') !== index);
}

/** Returns the paging limit, or the hard limit if paging is disabled. */
export function getMemoryLimit({ pagingLimit, hardLimit }: MemorySettings): number {
  return pagingLimit.enable ? pagingLimit.maxTokens : hardLimit.maxTokens;
}
