import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@pawl/core';
import { createEventLogger, openRotatingFile, type AgentOptions, type Seen } from '@pawl/runtime';
import { createTelemetry, type TelemetryOptions } from '@pawl/telemetry';

/** One way of looking on: what the agent works with, who is told, and what is left to do in the end. */
export type Watching = {
  readonly means: Pick<AgentOptions, 'model' | 'tools'>;
  readonly observe?: (seen: Seen) => void;
  readonly end: () => Promise<void>;
};

type Means = Watching['means'];

export type Watcher = { readonly name: string; readonly watch: (means: Means, session: Session) => Watching };

/** Everything that `pawl run` can have look on, from nothing at all to everything at once. */
export function watchersAt(url: string): readonly Watcher[] {
  const everything = { traces: { url }, metrics: { prometheus: true, otlp: { url } } };
  return [
    { name: 'nobody looks on', watch: (means) => ({ means, end: async () => undefined }) },
    { name: 'all off', watch: (means) => ({ means, observe: unheard, end: async () => undefined }) },
    { name: 'logs', watch: (means) => logging(means) },
    { name: 'metrics', watch: telling({ metrics: everything.metrics }) },
    { name: 'traces', watch: telling({ traces: everything.traces }) },
    {
      name: 'all on',
      watch(means, session) {
        const log = logging(means);
        const told = telling(everything)(means, session);
        return {
          means: told.means,
          observe(seen) {
            log.observe?.(seen);
            told.observe?.(seen);
          },
          async end() {
            await log.end();
            await told.end();
          },
        };
      },
    },
  ];
}

const unheard = (): void => undefined;

function logging(means: Means): Watching {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-log-'));
  const file = openRotatingFile(join(folder, 'pawl.log'));
  const { see } = createEventLogger({ write: (line) => file.write(line) });
  return { means, observe: see, end: async () => rmSync(folder, { recursive: true }) };
}

function telling(options: TelemetryOptions): Watcher['watch'] {
  return (means, session) => {
    const telemetry = createTelemetry(options);
    const observer = telemetry.observe(session);
    return {
      means: observer.within(means),
      observe: observer.see,
      async end() {
        observer.end();
        // What is sent costs as well.
        await telemetry.shutdown();
      },
    };
  };
}
