import type { Json } from '../../json.ts';
import { flag, wholeNumber, type Field } from '../../field.ts';
import { jsonFault } from '../json-fault.ts';
import { logPrefix, logWithoutOwnPrefix } from '../log-prefix.ts';
import { memorySettings, type LogSettings, type MemorySettings, type TokenLimit } from '../settings.ts';
import { defaultLkjPrompts, type LkjPrompts } from './prompts.ts';
import type { LkjProfile } from './states.ts';

export type LkjConfig = {
  readonly memory: MemorySettings;
  readonly iterate: { readonly enable: boolean; readonly maxIterations: number };
  readonly prompts: LkjPrompts;
  /** Paths of keys that nothing reads, such as `agent.think_log.max_entry`. */
  readonly unknown: readonly string[];
};

type JsonObject = { readonly [key: string]: Json };

/**
 * Reads `data/config.json`. Everything may be left out; a key stands under `agent` or, as in the oldest files, at the top. A
 * value of the wrong kind throws one error with the path of its key.
 */
export function readLkjConfig(json: unknown, profile: LkjProfile): LkjConfig {
  const fault = jsonFault(json);
  if (fault !== null) throw new TypeError(`LKJ config: this is not JSON: ${fault}.`);
  const reader = new Reader(objectAt(json as Json, 'the whole file'));
  const { logs, pagingLimit, hardLimit, ...rest } = memorySettings[profile];
  const memory: MemorySettings = {
    ...rest,
    logs: {
      think: logAt(reader, ['think_log', 'thinking_log'], logs.think),
      evaluation: logAt(reader, ['evaluation_log'], logs.evaluation),
      command: logAt(reader, ['command_log'], logs.command),
    },
    pagingLimit: limitAt(reader, 'paging_limit', pagingLimit),
    hardLimit: limitAt(reader, 'hard_limit', hardLimit),
  };
  checkPrefixes(memory);
  const iterate = reader.section(['iterate'], {
    enable: flag(true),
    max_iterations: wholeNumber(1_000, 1, 1e9),
  });
  return {
    memory,
    iterate: { enable: iterate.enable, maxIterations: iterate.max_iterations },
    prompts: { ...defaultLkjPrompts(profile), ...reader.prompts() },
    unknown: reader.unread(),
  };
}

function logAt(reader: Reader, names: readonly string[], fallback: LogSettings): LogSettings {
  const { enable, max_entries, key_prefix } = reader.section(names, {
    enable: flag(fallback.enable),
    max_entries: wholeNumber(fallback.maxEntries, 1, 999),
    key_prefix: logPrefix(fallback.keyPrefix),
  });
  return { enable, maxEntries: max_entries, keyPrefix: key_prefix };
}

function limitAt(reader: Reader, name: string, fallback: TokenLimit): TokenLimit {
  const fields = { enable: flag(fallback.enable), max_tokens: wholeNumber(fallback.maxTokens, 1, 1e9) };
  const { enable, max_tokens } = reader.section([name], fields);
  return { enable, maxTokens: max_tokens };
}

function checkPrefixes(memory: MemorySettings): void {
  const name = logWithoutOwnPrefix(memory);
  if (name === undefined) return;
  const prefix = JSON.stringify(memory.logs[name].keyPrefix);
  throw new TypeError(`LKJ config: two logs have the key_prefix ${prefix}. Give each its own.`);
}

type Read<Fields> = {
  readonly [Key in keyof Fields]: Fields[Key] extends Field<infer Value> ? Value : never;
};

/** Goes through the file and remembers what was read; a class, because what is left at the end is told as well. */
class Reader {
  readonly #roots: readonly (readonly [path: string, root: JsonObject])[];
  readonly #read = new Set<string>(['agent']);

  constructor(file: JsonObject) {
    const agent = Object.hasOwn(file, 'agent') ? objectAt(file['agent'] ?? null, 'agent') : {};
    this.#roots = [
      ['agent.', agent],
      ['', file],
    ];
  }

  /** One section, by any of its names, from wherever it stands. */
  section<Fields extends { readonly [key: string]: Field<unknown> }>(
    names: readonly string[],
    fields: Fields,
  ): Read<Fields> {
    const [path, given] = this.#find(names) ?? ['', {}];
    const read: { [key: string]: unknown } = {};
    for (const [key, field] of Object.entries(fields)) {
      const value = Object.hasOwn(given, key) ? given[key] : undefined;
      if (value !== undefined && !field.accepts(value)) throw wrong(`${path}.${key}`, field.expects, value);
      read[key] = value ?? field.fallback;
      this.#read.add(`${path}.${key}`);
    }
    // Each key has its field's fallback or a value that its field accepts.
    return read as Read<Fields>;
  }

  /** The prompts under `state.<name>.prompt`. */
  prompts(): LkjPrompts {
    const [path, states] = this.#find(['state']) ?? ['', {}];
    const names = Object.keys(states);
    return Object.fromEntries(
      names.map((name) => {
        const at = `${path}.${name}`;
        const state = objectAt(states[name] ?? null, at);
        const prompt = Object.hasOwn(state, 'prompt') ? state['prompt'] : undefined;
        if (prompt === undefined || prompt === null) throw wrong(`${at}.prompt`, 'a prompt', prompt);
        this.#read.add(at).add(`${at}.prompt`);
        return [name, prompt];
      }),
    );
  }

  /** Paths of keys that were passed by, two levels deep. */
  unread(): readonly string[] {
    const unread: string[] = [];
    for (const [above, root] of this.#roots) {
      for (const [key, value] of Object.entries(root)) {
        const path = `${above}${key}`;
        if (!this.#read.has(path)) unread.push(path);
        else if (path !== 'agent' && isObject(value)) {
          unread.push(
            ...Object.keys(value)
              .map((name) => `${path}.${name}`)
              .filter((each) => !this.#read.has(each)),
          );
        }
      }
    }
    return unread;
  }

  #find(names: readonly string[]): readonly [path: string, given: JsonObject] | undefined {
    const places = this.#roots.flatMap(([above, root]) =>
      names
        .filter((name) => Object.hasOwn(root, name))
        .map((name) => [`${above}${name}`, root[name]] as const),
    );
    const [first, second] = places;
    if (first === undefined) return undefined;
    if (second !== undefined) throw new TypeError(`LKJ config: give ${first[0]} or ${second[0]}, not both.`);
    this.#read.add(first[0]);
    return [first[0], objectAt(first[1] ?? null, first[0])];
  }
}

function objectAt(value: Json, path: string): JsonObject {
  if (isObject(value)) return value;
  throw wrong(path, 'an object', value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, expects: string, value: unknown): TypeError {
  const came = (JSON.stringify(value) ?? 'nothing').slice(0, 80);
  return new TypeError(`LKJ config: ${path} expects ${expects}, and got ${came}.`);
}
