import type { JsonObject, Json } from '@pawl/governor';
import { isJsonObject, createBooleanField, createIntegerField, type ConfigField } from '@pawl/governor/json';
import { describeJsonProblem, memoryActions } from '../memory-action.ts';
import {
  findLogWithSharedPrefix,
  logPrefixPattern,
  logPrefixRequirement,
  memorySettings,
  type LogSettings,
  type MemorySettings,
  type TokenLimit,
} from '../settings.ts';

/** The profiles that use LKJAgent's memory layout. */
export type LkjProfile = 'lkj' | 'lkj1';

/** The states a memory document can resume in. Paging is an intermediate state, so it is not one of them. */
const resumableStates: { readonly [Profile in LkjProfile]: readonly string[] } = {
  lkj: ['thinking', 'commanding', 'evaluating'],
  lkj1: ['thinking', 'executing'],
};

/** Maps the name of the other profile's action state to this profile's name. */
const stateSynonyms: { readonly [Profile in LkjProfile]: { readonly [state: string]: string } } = {
  lkj: { executing: 'commanding' },
  lkj1: { commanding: 'executing' },
};

type ParsedLkjState = { readonly state: string; readonly warning: string | null };

/** Returns the state to resume in. A state that cannot be resumed becomes `thinking`, with a warning. */
export function parseLkjState(value: unknown, profile: LkjProfile): ParsedLkjState {
  if (value === undefined) return resetToThinking('The memory document has no state');
  if (typeof value !== 'string') return resetToThinking('The state of the memory document is not a string');
  const name = value.trim();
  if (name === 'paging') return { state: 'thinking', warning: null };
  const renamed = Object.hasOwn(stateSynonyms[profile], name) ? stateSynonyms[profile][name] : name;
  const state = resumableStates[profile].find((each) => each === renamed);
  return state === undefined
    ? resetToThinking(
        `The state ${JSON.stringify(name.slice(0, 60))} is not one of ${resumableStates[profile].join(', ')}`,
      )
    : { state, warning: null };
}

function resetToThinking(problem: string): ParsedLkjState {
  return { state: 'thinking', warning: `${problem}; resetting to thinking.` };
}

export type LkjConfig = {
  readonly memory: MemorySettings;
  readonly iterate: { readonly enable: boolean; readonly maxIterations: number };
  readonly prompts: LkjPrompts;
  /** Paths of unknown keys, such as `agent.think_log.max_entry`. */
  readonly unknown: readonly string[];
};

/**
 * Parses `data/config.json`. Every key is optional; sections are under `agent` or, as in the oldest files, at the top
 * level. A value of the wrong type throws one error with the path of its key.
 */
export function parseLkjConfig(json: unknown, profile: LkjProfile): LkjConfig {
  const problem = describeJsonProblem(json);
  if (problem !== null) throw new TypeError(`LKJ config: the file is not valid JSON: ${problem}.`);
  const reader = new LkjConfigReader(requireJsonObject(json as Json, 'the file'));
  const { logs, pagingLimit, hardLimit, ...rest } = memorySettings[profile];
  const memory: MemorySettings = {
    ...rest,
    logs: {
      think: readLogSettings(reader, ['think_log', 'thinking_log'], logs.think),
      evaluation: readLogSettings(reader, ['evaluation_log'], logs.evaluation),
      command: readLogSettings(reader, ['command_log'], logs.command),
    },
    pagingLimit: readTokenLimit(reader, 'paging_limit', pagingLimit),
    hardLimit: readTokenLimit(reader, 'hard_limit', hardLimit),
  };
  checkLkjLogPrefixes(memory);
  const iterate = reader.readSection(['iterate'], {
    enable: createBooleanField(true),
    max_iterations: createIntegerField(1_000, 1, 1e9),
  });
  return {
    memory,
    iterate: { enable: iterate.enable, maxIterations: iterate.max_iterations },
    prompts: { ...createDefaultLkjPrompts(profile), ...reader.readPrompts() },
    unknown: reader.listUnread(),
  };
}

function readLogSettings(
  reader: LkjConfigReader,
  names: readonly string[],
  fallback: LogSettings,
): LogSettings {
  const { enable, max_entries, key_prefix } = reader.readSection(names, {
    enable: createBooleanField(fallback.enable),
    max_entries: createIntegerField(fallback.maxEntries, 1, 999),
    key_prefix: createLogPrefixField(fallback.keyPrefix),
  });
  return { enable, maxEntries: max_entries, keyPrefix: key_prefix };
}

function readTokenLimit(reader: LkjConfigReader, name: string, fallback: TokenLimit): TokenLimit {
  const fields = {
    enable: createBooleanField(fallback.enable),
    max_tokens: createIntegerField(fallback.maxTokens, 1, 1e9),
  };
  const { enable, max_tokens } = reader.readSection([name], fields);
  return { enable, maxTokens: max_tokens };
}

function checkLkjLogPrefixes(memory: MemorySettings): void {
  const name = findLogWithSharedPrefix(memory);
  if (name === undefined) return;
  const prefix = JSON.stringify(memory.logs[name].keyPrefix);
  throw new TypeError(`LKJ config: two logs have the key_prefix ${prefix}. Each log needs its own prefix.`);
}

function createLogPrefixField(fallback: string): ConfigField<string> {
  return {
    fallback,
    expects: logPrefixRequirement,
    accepts: (value): value is string => typeof value === 'string' && logPrefixPattern.test(value),
  };
}

type SectionValues<Fields> = {
  readonly [Key in keyof Fields]: Fields[Key] extends ConfigField<infer Value> ? Value : never;
};

/** Reads sections and records which keys were read; a class, because the unread keys are reported at the end. */
class LkjConfigReader {
  readonly #roots: readonly (readonly [path: string, root: JsonObject])[];
  readonly #readPaths = new Set<string>(['agent']);

  constructor(file: JsonObject) {
    const agent = Object.hasOwn(file, 'agent') ? requireJsonObject(file['agent'] ?? null, 'agent') : {};
    this.#roots = [
      ['agent.', agent],
      ['', file],
    ];
  }

  /** Reads one section by any of its names, under `agent` or at the top level. */
  readSection<Fields extends { readonly [key: string]: ConfigField<unknown> }>(
    names: readonly string[],
    fields: Fields,
  ): SectionValues<Fields> {
    const [path, section] = this.#findSection(names) ?? ['', {}];
    const read: { [key: string]: unknown } = {};
    for (const [key, field] of Object.entries(fields)) {
      const value = Object.hasOwn(section, key) ? section[key] : undefined;
      if (value !== undefined && !field.accepts(value))
        throw createLkjConfigError(`${path}.${key}`, field.expects, value);
      read[key] = value ?? field.fallback;
      this.#readPaths.add(`${path}.${key}`);
    }
    // Each key holds a value its field accepts, or the field's fallback.
    return read as SectionValues<Fields>;
  }

  /** Reads the prompts under `state.<name>.prompt`. */
  readPrompts(): LkjPrompts {
    const [path, states] = this.#findSection(['state']) ?? ['', {}];
    const names = Object.keys(states);
    return Object.fromEntries(
      names.map((name) => {
        const at = `${path}.${name}`;
        const state = requireJsonObject(states[name] ?? null, at);
        const prompt = Object.hasOwn(state, 'prompt') ? state['prompt'] : undefined;
        if (prompt === undefined || prompt === null)
          throw createLkjConfigError(`${at}.prompt`, 'a prompt', prompt);
        this.#readPaths.add(at).add(`${at}.prompt`);
        return [name, prompt];
      }),
    );
  }

  /** Returns the paths of unread keys, two levels deep. */
  listUnread(): readonly string[] {
    const unread: string[] = [];
    for (const [prefix, root] of this.#roots) {
      for (const [key, value] of Object.entries(root)) {
        const path = `${prefix}${key}`;
        if (!this.#readPaths.has(path)) unread.push(path);
        else if (path !== 'agent' && isJsonObject(value)) {
          unread.push(
            ...Object.keys(value)
              .map((name) => `${path}.${name}`)
              .filter((each) => !this.#readPaths.has(each)),
          );
        }
      }
    }
    return unread;
  }

  #findSection(names: readonly string[]): readonly [path: string, section: JsonObject] | undefined {
    const matches = this.#roots.flatMap(([prefix, root]) =>
      names
        .filter((name) => Object.hasOwn(root, name))
        .map((name) => [`${prefix}${name}`, root[name]] as const),
    );
    const [first, second] = matches;
    if (first === undefined) return undefined;
    if (second !== undefined)
      throw new TypeError(`LKJ config: set either ${first[0]} or ${second[0]}, not both.`);
    this.#readPaths.add(first[0]);
    return [first[0], requireJsonObject(first[1] ?? null, first[0])];
  }
}

function requireJsonObject(value: Json, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw createLkjConfigError(path, 'an object', value);
}

function createLkjConfigError(path: string, expects: string, value: unknown): TypeError {
  const actual = (JSON.stringify(value) ?? 'nothing').slice(0, 80);
  return new TypeError(`LKJ config: ${path} expects ${expects}, and got ${actual}.`);
}

/** The prompt of each state, and `base` for all states. The configuration can replace each of them. */
export type LkjPrompts = { readonly [state: string]: Json };

export function createDefaultLkjPrompts(profile: LkjProfile): LkjPrompts {
  const { actions } = memorySettings[profile];
  const available_actions = Object.fromEntries(actions.map((type) => [type, memoryActions[type]]));
  return profile === 'lkj1'
    ? {
        base: createBasePrompt('thinking_log', 'executing'),
        thinking: {
          state_description: {
            thinking: 'Reason step by step, record each step in thinking_log, and choose the next state.',
            executing: `Execute one action: ${actions.join(', ')}.`,
          },
        },
        executing: { available_actions },
      }
    : {
        base: createBasePrompt('think_log', 'commanding'),
        thinking: {
          state_description: {
            thinking: 'Reason step by step, record each step in think_log, and choose the next state.',
            commanding: `Execute one action: ${actions.join(', ')}.`,
            evaluating: 'Evaluate the result of the last action and record it in evaluation_log.',
          },
        },
        commanding: { available_actions },
        evaluating: {
          state_description: {
            evaluating: 'Describe the result of the last action and choose the next state.',
          },
        },
      };
}

function createBasePrompt(thoughts: string, acting: string): Json {
  return {
    role:
      'You are a librarian that works as a state machine. Your working memory is small and your storage is unlimited: you ' +
      `decide what to hold in working memory, what to save to storage and what to load, and report it as next_state and ${thoughts}.`,
    instructions:
      'Reply only with well-formed XML that has one agent element. While thinking, put next_state and ' +
      `${thoughts} into it; while ${acting}, one action with type, tags and, if the action needs one, value.`,
  };
}
