import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSession } from '@pawl/core';
import { Agent, defineTool } from '@pawl/runtime';
import { createScriptedModel } from '@pawl/runtime/models';
import * as z from 'zod';
import { formatAim, createUpperAim, type PerformanceAim } from './lib/aim.ts';
import { readBenchMachine, type BenchMachine } from './lib/environment.ts';
import { rotateItems } from './lib/interleave.ts';
import { collectGarbage } from './lib/memory.ts';
import { readBenchOptions } from './lib/options.ts';
import { computePairedRatios, summarizeSamples, type SampleSummary } from './lib/statistics.ts';
import { formatBenchTable } from './lib/table.ts';
import { createBenchObservers, type BenchObserver } from './telemetry/bench-observers.ts';

const help = `Usage: node bench/telemetry.ts [--quick] [--json]

Times the cost of logs, traces and metrics per agent step, sent to a collector in another process, compared with an agent
without observers. A step is one model request and one tool call.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const sinkFile = fileURLToPath(new URL('telemetry/sink.ts', import.meta.url));

const benchToolOutput = 'A line of text with a number 12 and a path src/core/step.ts in it.\n'.repeat(30);

const benchReadTool = defineTool({
  name: 'read',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  effect: 'read-only',
  run: async ({ path }) => ({ ok: true, output: `${path}\n${benchToolOutput}` }),
});

/** Measures the CPU time per step in microseconds: the agent, the observer and the export of telemetry. */
async function timeObserver({ name, attach }: BenchObserver, steps: number): Promise<number> {
  const replies = Array.from({ length: steps }, (_, at) => ({
    text: `I look at file ${at}.`,
    calls: [{ id: `call-${at}`, tool: 'read', args: { path: `src/file-${at}.ts` } }],
  }));
  const model = createScriptedModel([...replies, { text: 'Done.' }]);
  const session = createSession({ id: `bench-${name}-${performance.now()}`, at: Date.now() });
  const { ports, observe, end } = attach({ model, tools: [benchReadTool] }, session);
  const agent = new Agent({ ...ports, session, ...(observe && { observe }) });
  await sleep(5);
  collectGarbage();
  const start = process.cpuUsage();
  await agent.sendMessage('Read all of it');
  await agent.waitUntilIdle();
  await end();
  const { user, system } = process.cpuUsage(start);
  if (model.requests.length !== steps + 1) throw new Error(`${name}: the run did not finish.`);
  return (user + system) / steps;
}

async function startSink(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [sinkFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

type TelemetryRow = {
  readonly name: string;
  readonly microseconds: SampleSummary;
  readonly byNobody: SampleSummary;
  readonly added: number;
};

const options = readBenchOptions(help);
if (options !== null) {
  const plan = options.quick ? { rounds: 3, warmUp: 1, steps: 60 } : { rounds: 21, warmUp: 3, steps: 500 };
  const sink = await startSink();
  const watchers = createBenchObservers(sink.url).map((watcher) => ({ watcher, samples: [] as number[] }));
  for (let round = -plan.warmUp; round < plan.rounds; round += 1) {
    const order = rotateItems(watchers, round + plan.warmUp);
    // Alternate the order, so that no observer always follows the same one and pays for its leftovers.
    for (const { watcher, samples } of round % 2 === 0 ? order : order.toReversed()) {
      const elapsed = await timeObserver(watcher, plan.steps);
      if (round >= 0) samples.push(elapsed);
    }
  }
  const bytes = Number(await (await fetch(`${sink.url}/bytes`)).text());
  await sink.stop();
  const base = watchers[0]?.samples ?? [];
  const rows = watchers.map(({ watcher: { name }, samples }): TelemetryRow => {
    const added = samples.map((sample, round) => sample - (base[round] ?? Number.NaN));
    return {
      name,
      microseconds: summarizeSamples(samples),
      byNobody: summarizeSamples(computePairedRatios(samples, base)),
      added: summarizeSamples(added).median,
    };
  });
  const off = rows.find(({ name }) => name === 'all off')?.byNobody.median ?? Number.NaN;
  const on = rows.find(({ name }) => name === 'all on')?.added ?? Number.NaN;
  const aims = [
    createUpperAim("of a step's time with all off, for an unobserved step", 1.05, off),
    createUpperAim('ms for a step with all on, where a model takes seconds', 1, on / 1_000),
  ];
  const measured = { environment: readBenchMachine(), plan, rows, bytesSent: bytes, aims };
  console.log(options.json ? JSON.stringify(measured, null, 2) : formatTelemetryReport(measured));
}

type TelemetryBenchResult = {
  readonly environment: BenchMachine;
  readonly rows: readonly TelemetryRow[];
  readonly plan: { readonly rounds: number; readonly steps: number };
  readonly aims: readonly PerformanceAim[];
};

function formatTelemetryReport({
  environment: { node, cpu, cores, load },
  rows,
  plan,
  aims,
}: TelemetryBenchResult): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nProcessor time; medians of ${plan.rounds} interleaved rounds of ${plan.steps} steps`,
    formatBenchTable(
      ['one step', 'time, no observer = 1', 'min..max', 'µs', 'µs more'],
      rows.map(({ name, microseconds, byNobody, added }) => [
        name,
        byNobody.median.toFixed(2),
        `${byNobody.min.toFixed(2)}..${byNobody.max.toFixed(2)}`,
        microseconds.median.toFixed(0),
        added.toFixed(0),
      ]),
    ),
    aims.map(formatAim).join('\n'),
  ].join('\n\n');
}
