import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatAim, createUpperAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { formatSignificant, formatSpread } from './lib/format-figures.ts';
import { rotateItems } from './lib/interleave.ts';
import { readBenchOptions } from './lib/options.ts';
import { summarizeSamples, type SampleSummary } from './lib/statistics.ts';
import { formatBenchTable } from './lib/table.ts';

const help = `Usage: node bench/proxy.ts [--quick] [--json]

Times how much latency the proxy adds to the first byte of a streamed reply, for conversations of several lengths, with a
local model server that answers immediately.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

/** Number of rounds of calls before the measured request. */
const lengths = [0, 20, 200] as const;

/** Builds a conversation without repetition, as JSON for the chat completions API. */
function createConversationJson(rounds: number): string {
  const steps = Array.from({ length: rounds }, (_, number) => [
    {
      role: 'assistant',
      content: `I read part ${number}.`,
      tool_calls: [
        {
          id: `c${number}`,
          type: 'function',
          function: { name: 'read', arguments: `{"path":"${number}.ts"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `c${number}`, content: `export const part = ${number};\n`.repeat(80) },
  ]).flat();
  const messages = [{ role: 'user', content: 'Read all of it.' }, ...steps];
  return JSON.stringify({ model: 'tiny', stream: true, messages, tools: [{ type: 'function' }] });
}

const streamPiece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;

/** A model server that immediately sends twenty chunks and ends. */
async function startModelServer(): Promise<Server> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 20; count += 1) res.write(streamPiece);
      res.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Starts the proxy in its own process, as in production; it stores nothing. */
async function startProxy(
  upstream: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const command = new URL('../packages/cli/src/commands/proxy/action.ts', import.meta.url).href;
  const flags = { upstream, port: '0', dir: '.', store: 'none', quiet: true };
  const script = `const { runProxy } = await import(${JSON.stringify(command)});
    await runProxy({ ...${JSON.stringify(flags)}, signal: new AbortController().signal }, process);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The proxy ended with exit code ${String(code)} before it listened.`);
  });
  const [line] = (await Promise.race([once(child.stdout, 'data'), exited])) as [Buffer];
  // The proxy is killed at the end, when nothing awaits this promise.
  exited.catch(() => undefined);
  return { child, port: Number(/:(\d+) /.exec(line.toString())?.[1]) };
}

/** Measures the milliseconds from the request to the first byte of the reply. */
function timeFirstByte(agent: Agent, port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let firstByteMs = 0;
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const going = request({
      agent,
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/chat/completions',
      headers,
    });
    going.on('error', reject).on('response', (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        if (text === '') firstByteMs = performance.now() - start;
        text += chunk.toString();
      });
      res.on('end', () => {
        if (text.split(streamPiece).length === 21) resolve(firstByteMs);
        else reject(new Error(`The reply is not what was sent: ${text.slice(0, 200)}`));
      });
    });
    going.end(body);
  });
}

type ProxyTiming = {
  readonly rounds: number;
  readonly kilobytes: number;
  readonly direct: SampleSummary;
  readonly proxied: SampleSummary;
  readonly added: SampleSummary;
};

/** Alternates direct and proxied requests, so that slowdowns of the machine affect both. */
async function measureProxy(
  ports: { direct: number; proxied: number },
  times: number,
): Promise<readonly ProxyTiming[]> {
  const agent = new Agent({ keepAlive: true });
  const results: ProxyTiming[] = [];
  for (const rounds of lengths) {
    const body = createConversationJson(rounds);
    const samples = { direct: [] as number[], proxied: [] as number[] };
    for (let round = -5; round < times; round += 1) {
      for (const way of rotateItems(['direct', 'proxied'] as const, round + 5)) {
        const firstByteMs = await timeFirstByte(agent, ports[way], body);
        if (round >= 0) samples[way].push(firstByteMs);
      }
    }
    const added = samples.proxied.map(
      (firstByteMs, index) => firstByteMs - (samples.direct[index] ?? Number.NaN),
    );
    results.push({
      rounds,
      kilobytes: body.length / 1_000,
      direct: summarizeSamples(samples.direct),
      proxied: summarizeSamples(samples.proxied),
      added: summarizeSamples(added),
    });
  }
  agent.destroy();
  return results;
}

const options = readBenchOptions(help);
if (options !== null) {
  const model = await startModelServer();
  const { port: direct } = model.address() as AddressInfo;
  const { child, port: proxied } = await startProxy(`http://127.0.0.1:${direct}`);
  const times = options.quick ? 10 : 200;
  try {
    const milliseconds = await measureProxy({ direct, proxied }, times);
    const aims = milliseconds.map(({ rounds, added }) =>
      createUpperAim(
        `ms added to the first byte after ${rounds} rounds of calls`,
        rounds > 100 ? 20 : 10,
        added.median,
      ),
    );
    const result = { environment: readBenchMachine(), times, milliseconds, aims };
    console.log(options.json ? JSON.stringify(result, null, 2) : formatProxyReport(result));
  } finally {
    child.kill();
    model.close();
    model.closeAllConnections();
  }
}

type ProxyBenchResult = {
  readonly environment: ReturnType<typeof readBenchMachine>;
  readonly times: number;
  readonly milliseconds: readonly ProxyTiming[];
  readonly aims: readonly ReturnType<typeof createUpperAim>[];
};

function formatProxyReport({
  environment: { node, cpu, cores, load },
  times,
  milliseconds,
  aims,
}: ProxyBenchResult): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nTime to the first byte; medians of ${times} requests each way, alternating`,
    formatBenchTable(
      ['rounds of calls', 'kB', 'direct ms', 'proxied ms', 'added ms', 'min..max'],
      milliseconds.map(({ rounds, kilobytes, direct, proxied, added }) => [
        String(rounds),
        kilobytes.toFixed(0),
        formatSignificant(direct.median),
        formatSignificant(proxied.median),
        formatSignificant(added.median),
        formatSpread(added),
      ]),
    ),
    aims.map(formatAim).join('\n'),
  ].join('\n\n');
}
