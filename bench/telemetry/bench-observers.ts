import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@pawl/core';
import type { AgentOptions, StepResult } from '@pawl/runtime';
import { createEventLogger, openRotatingFile } from '@pawl/runtime/logging';
import { createTelemetry, type TelemetryOptions } from '@pawl/telemetry';

/** An observed agent: its ports, the observer, and the cleanup at the end. */
export type ObservedAgent = {
  readonly ports: Pick<AgentOptions, 'model' | 'tools'>;
  readonly observe?: (seen: StepResult) => void;
  readonly end: () => Promise<void>;
};

type ObservedPorts = ObservedAgent['ports'];

export type BenchObserver = {
  readonly name: string;
  readonly attach: (ports: ObservedPorts, session: Session) => ObservedAgent;
};

/** The observers that `pawl run` supports, from none to all at once. */
export function createBenchObservers(url: string): readonly BenchObserver[] {
  const everything = { traces: { url }, metrics: { prometheus: true, otlp: { url } } };
  return [
    { name: 'no observer', attach: (ports) => ({ ports, end: async () => undefined }) },
    { name: 'all off', attach: (ports) => ({ ports, observe: ignoreStep, end: async () => undefined }) },
    { name: 'logs', attach: (ports) => observeWithLogs(ports) },
    { name: 'metrics', attach: observeWithTelemetry({ metrics: everything.metrics }) },
    { name: 'traces', attach: observeWithTelemetry({ traces: everything.traces }) },
    {
      name: 'all on',
      attach(ports, session) {
        const log = observeWithLogs(ports);
        const observed = observeWithTelemetry(everything)(ports, session);
        return {
          ports: observed.ports,
          observe(seen) {
            log.observe?.(seen);
            observed.observe?.(seen);
          },
          async end() {
            await log.end();
            await observed.end();
          },
        };
      },
    },
  ];
}

const ignoreStep = (): void => undefined;

function observeWithLogs(ports: ObservedPorts): ObservedAgent {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-log-'));
  const file = openRotatingFile(join(folder, 'pawl.log'));
  const { observe } = createEventLogger({ write: (line) => file.write(line) });
  return { ports, observe, end: async () => rmSync(folder, { recursive: true }) };
}

function observeWithTelemetry(options: TelemetryOptions): BenchObserver['attach'] {
  return (ports, session) => {
    const telemetry = createTelemetry(options);
    const observer = telemetry.observe(session);
    return {
      ports: observer.runInContext(ports),
      observe: observer.observe,
      async end() {
        observer.end();
        // The export is part of the measured cost.
        await telemetry.shutdown();
      },
    };
  };
}
