import { memoryActionTypes } from '../memory/memory-action.ts';
import {
  createLogPrefixField,
  findLogWithSharedPrefix,
  memorySettings,
  type LogSettings,
  type MemorySettings,
  type TokenLimit,
} from '../memory/settings.ts';
import { describeInputValue } from '../modes/define-chart.ts';
import { createBooleanField, createChoiceField, createIntegerField } from '@pawl/governor/json';
import {
  ProfileError,
  type ProfilePath,
  createListParser,
  createFieldParser,
  createPartialParser,
  type ProfileParser,
} from './profile-parser.ts';

const parseTokenLimit: ProfileParser<Partial<TokenLimit>> = createPartialParser<TokenLimit>({
  enable: createFieldParser(createBooleanField(true)),
  maxTokens: createFieldParser(createIntegerField(1, 1, 1e9)),
});

const parseLogSettings: ProfileParser<Partial<LogSettings>> = createPartialParser<LogSettings>({
  enable: createFieldParser(createBooleanField(true)),
  maxEntries: createFieldParser(createIntegerField(1, 1, 999)),
  keyPrefix: createFieldParser(createLogPrefixField('')),
});

type ParsedMemorySettings = {
  readonly pagingLimit: Partial<TokenLimit>;
  readonly hardLimit: Partial<TokenLimit>;
  readonly logs: { readonly think?: object; readonly evaluation?: object; readonly command?: object };
  readonly actions: MemorySettings['actions'];
  readonly keepSearchResults: boolean;
};

const parseMemoryParts: ProfileParser<Partial<ParsedMemorySettings>> =
  createPartialParser<ParsedMemorySettings>({
    pagingLimit: parseTokenLimit,
    hardLimit: parseTokenLimit,
    logs: createPartialParser({
      think: parseLogSettings,
      evaluation: parseLogSettings,
      command: parseLogSettings,
    }),
    actions: createListParser(
      createFieldParser(createChoiceField('storage_load', memoryActionTypes)),
      memoryActionTypes.length,
    ),
    keepSearchResults: createFieldParser(createBooleanField(false)),
  });

/** Parses a profile's memory settings: the name of built-in settings, or changes to the earlier ones. */
export function parseMemorySettings(
  value: unknown,
  path: ProfilePath,
  before: MemorySettings,
): MemorySettings {
  if (typeof value === 'string') return findMemorySettings(value, path);
  const { pagingLimit, hardLimit, logs = {}, ...rest } = parseMemoryParts(value, path);
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
  checkLogPrefixes(settings, path);
  return settings;
}

function findMemorySettings(name: string, path: ProfilePath): MemorySettings {
  const match = Object.entries(memorySettings).find(([each]) => each === name);
  if (match !== undefined) return match[1];
  const names = Object.keys(memorySettings).join(', ');
  throw new ProfileError(
    path,
    `there are no memory settings named ${describeInputValue(name)}. The built-in ones are ${names}.`,
  );
}

function checkLogPrefixes(settings: MemorySettings, path: ProfilePath): void {
  const name = findLogWithSharedPrefix(settings);
  if (name === undefined) return;
  throw new ProfileError(
    [...path, 'logs', name, 'keyPrefix'],
    `another log already has the prefix ${describeInputValue(settings.logs[name].keyPrefix)}. Each log needs its own prefix.`,
  );
}
