import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toArray, transitionRecords } from '@pawl/core';
import { maskSecrets, secretValues, type Model, type Seen } from '@pawl/runtime';
import { openRunFile } from './run-file.ts';

/** A file in which every prompt, reply and transition can be read as it was but for secrets, one JSON object a line. */
export type RunTrace = {
  /** The same model, with what it is sent and what it says written down. */
  model(model: Model): Model;
  see(seen: Seen): void;
};

export type TraceOptions = {
  /** Into `logs/agent_trace.log` of the folder that is worked in. */
  readonly trace?: boolean;
  /** Into this file instead. */
  readonly traceFile?: string;
};

export function openTrace(options: TraceOptions, root: string, warn: (line: string) => void): RunTrace {
  const { trace = false, traceFile } = options;
  if (!trace && traceFile === undefined) return { model: (model) => model, see: () => undefined };
  const own = join(root, 'logs', 'agent_trace.log');
  const file = openRunFile(
    traceFile === undefined
      ? { name: 'trace', path: own, warn, prepare: () => makeFolder(own) }
      : { name: 'trace', path: traceFile, warn },
  );
  const secrets = secretValues(process.env);
  const write = (record: object): void => file.write(`${JSON.stringify(maskSecrets(record, { secrets }))}\n`);
  return {
    model: (model) => ({
      name: model.name,
      async *stream(request, signal) {
        const { conversation, tools, ...rest } = request;
        const names = tools.map(({ name }) => name);
        write({ type: 'prompt', ts: Date.now(), ...rest, messages: toArray(conversation), tools: names });
        for await (const chunk of model.stream(request, signal)) {
          if (chunk.type === 'reply' || chunk.type === 'failure') write({ ...chunk, ts: Date.now() });
          yield chunk;
        }
      },
    }),
    see({ notes, session }) {
      for (const record of transitionRecords(notes, session)) write({ type: 'state_transition', ...record });
    },
  };
}

/** A folder that was not there is kept out of git: prompts are nobody else's business. */
function makeFolder(path: string): void {
  const folder = dirname(path);
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
  for (const each of [folder, path]) {
    // Whoever gave us the folder to work in could otherwise have us write anywhere.
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(`${each} is a symbolic link; name the file with --trace-file.`);
  }
}
