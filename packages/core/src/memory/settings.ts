import { memoryActionTypes, type MemoryActionType } from './action.ts';

/** The logs that are kept in working memory. */
export const logNames = ['think', 'evaluation', 'command'] as const;
export type LogName = (typeof logNames)[number];

export type LogSettings = {
  readonly enable: boolean;
  /** How many entries it has at most; a new one then drops the oldest. */
  readonly maxEntries: number;
  /** What the keys begin with; three digits follow. */
  readonly keyPrefix: string;
};

export type TokenLimit = { readonly enable: boolean; readonly maxTokens: number };

export type MemorySettings = {
  /** From here on, paging makes room when there is time for it. */
  readonly pagingLimit: TokenLimit;
  /** From here on, nothing is added unless room is made for it. */
  readonly hardLimit: TokenLimit;
  readonly logs: { readonly [Name in LogName]: LogSettings };
  /** The actions a model may ask for. */
  readonly actions: readonly MemoryActionType[];
  /** Whether what a search found is also put into working memory: for models that see nothing else. */
  readonly keepSearchResults: boolean;
};

export type MemoryProfile = 'pawl' | 'lkj' | 'lkj1';

const limits = {
  pagingLimit: { enable: true, maxTokens: 4_096 },
  hardLimit: { enable: true, maxTokens: 8_192 },
} as const;

function logAs(keyPrefix: string, enable = true): LogSettings {
  return { enable, maxEntries: 10, keyPrefix };
}

/** What LKJAgent began with. */
const firstActions: readonly MemoryActionType[] = [
  'working_memory_add',
  'working_memory_remove',
  'storage_load',
  'storage_save',
];

/** `pawl` keeps no logs: the conversation has it all. `lkj1` has only the log of thoughts, by its older name, and four actions. */
export const memorySettings: { readonly [Profile in MemoryProfile]: MemorySettings } = {
  pawl: {
    ...limits,
    logs: {
      think: logAs('think_log_', false),
      evaluation: logAs('evaluation_log_', false),
      command: logAs('command_log_', false),
    },
    actions: memoryActionTypes,
    keepSearchResults: false,
  },
  lkj: {
    ...limits,
    logs: {
      think: logAs('think_log_'),
      evaluation: logAs('evaluation_log_'),
      command: logAs('command_log_'),
    },
    actions: memoryActionTypes,
    keepSearchResults: true,
  },
  lkj1: {
    ...limits,
    logs: {
      think: logAs('thinking_log_'),
      evaluation: logAs('evaluation_log_', false),
      command: logAs('command_log_', false),
    },
    actions: firstActions,
    keepSearchResults: true,
  },
};
