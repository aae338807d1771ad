import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSession } from '@pawl/core';
import { Agent, createScripted, defineTool } from '@pawl/runtime';
import * as z from 'zod';
import { aimLine, atMost, type Aim } from './lib/aim.ts';
import { environment, type Environment } from './lib/environment.ts';
import { rotated } from './lib/interleave.ts';
import { collectGarbage } from './lib/memory.ts';
import { readOptions } from './lib/options.ts';
import { pairedRatios, summarise, type Summary } from './lib/statistics.ts';
import { table } from './lib/table.ts';
import { watchersAt, type Watcher } from './telemetry/watchers.ts';

const help = `Usage: node bench/telemetry.ts [--quick] [--json]

Times what logs, traces and metrics cost a step of an agent, all of it sent to a collector in another process, beside an agent that
nobody looks at. A step is one request to the model and one tool call.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

const sinkFile = fileURLToPath(new URL('telemetry/sink.ts', import.meta.url));

const said = 'A line of text with a number 12 and a path src/core/step.ts in it.\n'.repeat(30);

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  effect: 'read-only',
  run: async ({ path }) => ({ ok: true, output: `${path}\n${said}` }),
});

/** Microseconds of processor time for one step: the agent, whoever looks on, and sending what is to be sent. */
async function time({ name, watch }: Watcher, steps: number): Promise<number> {
  const replies = Array.from({ length: steps }, (_, at) => ({
    text: `I look at file ${at}.`,
    calls: [{ id: `call-${at}`, tool: 'read', args: { path: `src/file-${at}.ts` } }],
  }));
  const model = createScripted([...replies, { text: 'Done.' }]);
  const session = createSession({ id: `bench-${name}-${performance.now()}`, at: Date.now() });
  const { means, observe, end } = watch({ model, tools: [read] }, session);
  const agent = new Agent({ ...means, session, ...(observe && { observe }) });
  await sleep(5);
  collectGarbage();
  const start = process.cpuUsage();
  await agent.say('Read all of it');
  await agent.idle();
  await end();
  const { user, system } = process.cpuUsage(start);
  if (model.requests.length !== steps + 1) throw new Error(`${name}: the work did not come to its end.`);
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

type Row = {
  readonly name: string;
  readonly microseconds: Summary;
  readonly byNobody: Summary;
  readonly added: number;
};

const options = readOptions(help);
if (options !== null) {
  const plan = options.quick ? { rounds: 3, warmUp: 1, steps: 60 } : { rounds: 21, warmUp: 3, steps: 500 };
  const sink = await startSink();
  const watchers = watchersAt(sink.url).map((watcher) => ({ watcher, samples: [] as number[] }));
  for (let round = -plan.warmUp; round < plan.rounds; round += 1) {
    const order = rotated(watchers, round + plan.warmUp);
    // Back and forth, so that none always comes after the same one and pays for what that has left behind.
    for (const { watcher, samples } of round % 2 === 0 ? order : order.toReversed()) {
      const taken = await time(watcher, plan.steps);
      if (round >= 0) samples.push(taken);
    }
  }
  const bytes = Number(await (await fetch(`${sink.url}/bytes`)).text());
  await sink.stop();
  const base = watchers[0]?.samples ?? [];
  const rows = watchers.map(({ watcher: { name }, samples }): Row => {
    const added = samples.map((sample, round) => sample - (base[round] ?? Number.NaN));
    return {
      name,
      microseconds: summarise(samples),
      byNobody: summarise(pairedRatios(samples, base)),
      added: summarise(added).median,
    };
  });
  const off = rows.find(({ name }) => name === 'all off')?.byNobody.median ?? Number.NaN;
  const on = rows.find(({ name }) => name === 'all on')?.added ?? Number.NaN;
  const aims = [
    atMost("of a step's time with all off, by one that nobody looks at", 1.05, off),
    atMost('ms for a step with all on, where a model takes seconds', 1, on / 1_000),
  ];
  const measured = { environment: environment(), plan, rows, bytesSent: bytes, aims };
  console.log(options.json ? JSON.stringify(measured, null, 2) : report(measured));
}

type Measured = {
  readonly environment: Environment;
  readonly rows: readonly Row[];
  readonly plan: { readonly rounds: number; readonly steps: number };
  readonly aims: readonly Aim[];
};

function report({ environment: { node, cpu, cores, load }, rows, plan, aims }: Measured): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nProcessor time; medians of ${plan.rounds} interleaved rounds of ${plan.steps} steps`,
    table(
      ['one step', 'time, nobody = 1', 'min..max', 'µs', 'µs more'],
      rows.map(({ name, microseconds, byNobody, added }) => [
        name,
        byNobody.median.toFixed(2),
        `${byNobody.min.toFixed(2)}..${byNobody.max.toFixed(2)}`,
        microseconds.median.toFixed(0),
        added.toFixed(0),
      ]),
    ),
    aims.map(aimLine).join('\n'),
  ].join('\n\n');
}
