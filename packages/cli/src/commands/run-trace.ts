import { appendFileSync, writeFileSync } from 'node:fs';
import { toArray, transitionRecords } from '@pawl/core';
import { maskSecrets, secretValues, type Model, type Seen } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';

/** A file in which every prompt, reply and transition can be read as it was but for secrets, one JSON object a line. */
export type RunTrace = {
  /** The same model, with what it is sent and what it says written down. */
  model(model: Model): Model;
  see(seen: Seen): void;
};

export function openTrace(path: string | undefined): RunTrace {
  if (path === undefined) return { model: (model) => model, see: () => undefined };
  try {
    writeFileSync(path, '', { mode: 0o600 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The trace cannot be written to ${path}: ${why}`, { cause: error });
  }
  const secrets = secretValues(process.env);
  const write = (record: object): void =>
    appendFileSync(path, `${JSON.stringify(maskSecrets(record, { secrets }))}\n`);
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
