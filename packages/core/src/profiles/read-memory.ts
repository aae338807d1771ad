import { memoryActionTypes } from '../memory/action.ts';
import { logPrefix, logWithoutOwnPrefix } from '../memory/log-prefix.ts';
import {
  memorySettings,
  type LogSettings,
  type MemorySettings,
  type TokenLimit,
} from '../memory/settings.ts';
import { shown } from '../modes/fields.ts';
import { flag, oneOf, wholeNumber } from '../field.ts';
import { ProfileError, type ProfilePath } from './profile-error.ts';
import { list, one, some, type Reader } from './reader.ts';

const limit: Reader<Partial<TokenLimit>> = some<TokenLimit>({
  enable: one(flag(true)),
  maxTokens: one(wholeNumber(1, 1, 1e9)),
});

const log: Reader<Partial<LogSettings>> = some<LogSettings>({
  enable: one(flag(true)),
  maxEntries: one(wholeNumber(1, 1, 999)),
  keyPrefix: one(logPrefix('')),
});

type Parts = {
  readonly pagingLimit: Partial<TokenLimit>;
  readonly hardLimit: Partial<TokenLimit>;
  readonly logs: { readonly think?: object; readonly evaluation?: object; readonly command?: object };
  readonly actions: MemorySettings['actions'];
  readonly keepSearchResults: boolean;
};

const readParts: Reader<Partial<Parts>> = some<Parts>({
  pagingLimit: limit,
  hardLimit: limit,
  logs: some({ think: log, evaluation: log, command: log }),
  actions: list(one(oneOf('storage_load', memoryActionTypes)), memoryActionTypes.length),
  keepSearchResults: one(flag(false)),
});

/** What a profile says of working memory: the name of settings that are built in, or changes to what it had. */
export function readMemory(value: unknown, path: ProfilePath, before: MemorySettings): MemorySettings {
  if (typeof value === 'string') return named(value, path);
  const { pagingLimit, hardLimit, logs = {}, ...rest } = readParts(value, path);
  const settings: MemorySettings = {
    ...before,
    ...rest,
    pagingLimit: { ...before.pagingLimit, ...pagingLimit },
    hardLimit: { ...before.hardLimit, ...hardLimit },
    logs: {
      think: { ...before.logs.think, ...logs.think },
      evaluation: { ...before.logs.evaluation, ...logs.evaluation },
      command: { ...before.logs.command, ...logs.command },
    },
  };
  checkPrefixes(settings, path);
  return settings;
}

function named(name: string, path: ProfilePath): MemorySettings {
  const found = Object.entries(memorySettings).find(([each]) => each === name);
  if (found !== undefined) return found[1];
  const names = Object.keys(memorySettings).join(', ');
  throw new ProfileError(path, `there are no settings ${shown(name)} of memory. There are ${names}.`);
}

function checkPrefixes(settings: MemorySettings, path: ProfilePath): void {
  const name = logWithoutOwnPrefix(settings);
  if (name === undefined) return;
  throw new ProfileError(
    [...path, 'logs', name, 'keyPrefix'],
    `another log has the prefix ${shown(settings.logs[name].keyPrefix)} already. Give each its own.`,
  );
}
