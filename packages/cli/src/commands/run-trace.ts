import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toItemArray } from '@pawl/core';
import { toTransitionRecords } from '@pawl/core/turn';
import type { Model, StepResult } from '@pawl/runtime';
import { maskSecrets, listSecretValues } from '@pawl/runtime/logging';
import { openRunFile } from './run-file.ts';

/** A JSON lines file with every prompt, reply and transition, unchanged except for masked secrets. */
export type RunTrace = {
  /** Wraps a model so that its requests and replies are traced. */
  model(model: Model): Model;
  see(seen: StepResult): void;
};

export type TraceOptions = {
  /** Write to `logs/agent_trace.log` in the working folder. */
  readonly trace?: boolean;
  /** Write to this file instead. */
  readonly traceFile?: string;
};

export function openRunTrace(options: TraceOptions, root: string, warn: (line: string) => void): RunTrace {
  const { trace = false, traceFile } = options;
  if (!trace && traceFile === undefined) return { model: (model) => model, see: () => undefined };
  const defaultPath = join(root, 'logs', 'agent_trace.log');
  const file = openRunFile(
    traceFile === undefined
      ? { name: 'trace', path: defaultPath, warn, prepare: () => makeTraceFolder(defaultPath) }
      : { name: 'trace', path: traceFile, warn },
  );
  const secrets = listSecretValues(process.env);
  const write = (record: object): void => file.write(`${JSON.stringify(maskSecrets(record, { secrets }))}\n`);
  return {
    model: (model) => ({
      name: model.name,
      async *stream(request, signal) {
        const { conversation, tools, ...rest } = request;
        const names = tools.map(({ name }) => name);
        write({ type: 'prompt', ts: Date.now(), ...rest, messages: toItemArray(conversation), tools: names });
        for await (const chunk of model.stream(request, signal)) {
          if (chunk.type === 'reply' || chunk.type === 'failure') write({ ...chunk, ts: Date.now() });
          yield chunk;
        }
      },
    }),
    see({ notes, session }) {
      for (const record of toTransitionRecords(notes, session))
        write({ type: 'state_transition', ...record });
    },
  };
}

/** Excludes a newly created folder from git, because prompts are private. */
function makeTraceFolder(path: string): void {
  const folder = dirname(path);
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n');
  for (const each of [folder, path]) {
    // A symbolic link would let the author of the working folder redirect our writes.
    if (lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Error(`${each} is a symbolic link; specify the file with --trace-file.`);
  }
}
