import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aimLine, atMost } from './lib/aim.ts';
import { environment } from './lib/environment.ts';
import { significant, spread } from './lib/figures.ts';
import { rotated } from './lib/interleave.ts';
import { readOptions } from './lib/options.ts';
import { summarise, type Summary } from './lib/statistics.ts';
import { table } from './lib/table.ts';

const help = `Usage: node bench/proxy.ts [--quick] [--json]

Times how much later the first byte of a streamed reply comes when the proxy is in between, for conversations of several
lengths, on one machine with a model's server that answers at once.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

/** How many rounds of calls a conversation has behind it. */
const lengths = [0, 20, 200] as const;

/** A conversation in which every step brought something new, as JSON for chat completions. */
function conversation(rounds: number): string {
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

const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;

/** A model's server that answers at once: twenty pieces, and the end. */
async function startModel(): Promise<Server> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 20; count += 1) res.write(piece);
      res.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The proxy as a process of its own, as it is used; nothing is kept. */
async function startProxy(
  upstream: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const command = new URL('../packages/cli/src/commands/proxy.ts', import.meta.url).href;
  const flags = { upstream, port: '0', dir: '.', store: 'none', quiet: true };
  const script = `const { proxy } = await import(${JSON.stringify(command)});
    await proxy({ ...${JSON.stringify(flags)}, signal: new AbortController().signal }, process);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(/:(\d+) /.exec(line.toString())?.[1]) };
}

/** Milliseconds from asking to the first byte of the reply. */
function firstByte(agent: Agent, port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let taken = 0;
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
        if (text === '') taken = performance.now() - start;
        text += chunk.toString();
      });
      res.on('end', () => {
        if (text.split(piece).length === 21) resolve(taken);
        else reject(new Error(`The reply is not what was sent: ${text.slice(0, 200)}`));
      });
    });
    going.end(body);
  });
}

type Measured = {
  readonly rounds: number;
  readonly kilobytes: number;
  readonly direct: Summary;
  readonly proxied: Summary;
  readonly added: Summary;
};

/** Asks both ways in turns, so that what slows the machine down slows both. */
async function measure(
  ports: { direct: number; proxied: number },
  times: number,
): Promise<readonly Measured[]> {
  const agent = new Agent({ keepAlive: true });
  const results: Measured[] = [];
  for (const rounds of lengths) {
    const body = conversation(rounds);
    const samples = { direct: [] as number[], proxied: [] as number[] };
    for (let round = -5; round < times; round += 1) {
      for (const way of rotated(['direct', 'proxied'] as const, round + 5)) {
        const taken = await firstByte(agent, ports[way], body);
        if (round >= 0) samples[way].push(taken);
      }
    }
    const added = samples.proxied.map((taken, index) => taken - (samples.direct[index] ?? Number.NaN));
    results.push({
      rounds,
      kilobytes: body.length / 1_000,
      direct: summarise(samples.direct),
      proxied: summarise(samples.proxied),
      added: summarise(added),
    });
  }
  agent.destroy();
  return results;
}

const options = readOptions(help);
if (options !== null) {
  const model = await startModel();
  const { port: direct } = model.address() as AddressInfo;
  const { child, port: proxied } = await startProxy(`http://127.0.0.1:${direct}`);
  const times = options.quick ? 10 : 200;
  try {
    const milliseconds = await measure({ direct, proxied }, times);
    const aims = milliseconds.map(({ rounds, added }) =>
      atMost(
        `ms added to the first byte after ${rounds} rounds of calls`,
        rounds > 100 ? 20 : 10,
        added.median,
      ),
    );
    const result = { environment: environment(), times, milliseconds, aims };
    console.log(options.json ? JSON.stringify(result, null, 2) : report(result));
  } finally {
    child.kill();
    model.close();
    model.closeAllConnections();
  }
}

type Result = {
  readonly environment: ReturnType<typeof environment>;
  readonly times: number;
  readonly milliseconds: readonly Measured[];
  readonly aims: readonly ReturnType<typeof atMost>[];
};

function report({ environment: { node, cpu, cores, load }, times, milliseconds, aims }: Result): string {
  return [
    `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nTime to the first byte; medians of ${times} requests each way, in turns`,
    table(
      ['rounds of calls', 'kB', 'direct ms', 'proxied ms', 'added ms', 'min..max'],
      milliseconds.map(({ rounds, kilobytes, direct, proxied, added }) => [
        String(rounds),
        kilobytes.toFixed(0),
        significant(direct.median),
        significant(proxied.median),
        significant(added.median),
        spread(added),
      ]),
    ),
    aims.map(aimLine).join('\n'),
  ].join('\n\n');
}
