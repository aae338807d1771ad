import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { getDataFolder } from '@pawl/runtime/data-folder';
import { openHookStateStore, type HookActivity } from '../../src/hook/hook-state.ts';
import type { HostClient, RunFolders } from './clients.ts';
import { startScriptedModel } from './model.ts';
import { scriptedAnswer, workFiles, type HostScript } from './scripts.ts';

/** Without the governor, with `pawl proxy` before the model, or with the hooks of `pawl hook`. */
export type GovernedBy = 'nothing' | 'proxy' | 'hook';

export type ClientRun = {
  readonly client: string;
  readonly script: string;
  readonly governedBy: GovernedBy;
  /** The requests of the agent's main loop. */
  readonly requests: number;
  readonly exitCode: number | null;
  /** Whether the client had to be killed. */
  readonly isTimedOut: boolean;
  /** Whether the client showed the answer of the model. */
  readonly hasAnswer: boolean;
  /** Whether the model received every request as the client sent it; null without a proxy. */
  readonly isUnchanged: boolean | null;
  /** What the governor did in the hooks; null without them. */
  readonly activity: HookActivity | null;
  /** What a strict provider would have rejected. */
  readonly problems: readonly string[];
  readonly durationMs: number;
  readonly output: string;
};

const prompt = 'Say what is in the notes.';

/** A client that hangs is killed. */
const runTimeoutMs = 120_000;

const pawl = join(import.meta.dirname, '../../../cli/bin/pawl.js');

/** Runs a client on a script in temporary folders. `folder` is where it is installed. */
export async function runClient(
  client: HostClient,
  script: HostScript,
  { governedBy, folder }: { readonly governedBy: GovernedBy; readonly folder: string },
): Promise<ClientRun> {
  const root = mkdtempSync(join(tmpdir(), 'agent-run-'));
  const folders = createRunFolders(root);
  const model = await startScriptedModel(script);
  const env = createClientEnvironment(folders);
  const proxy = governedBy === 'proxy' ? await startGovernorProxy(model.url, folders, env) : null;
  try {
    const startedAt = performance.now();
    const start = client.prepare(proxy?.url ?? model.url, prompt, folders);
    const clientEnv = { ...env, ...start.env };
    if (governedBy === 'hook') await installHook(client, script, { cwd: folders.work, env: clientEnv });
    const { exitCode, output, isTimedOut } = await runProgram(
      [join(folder, 'node_modules/.bin', client.bin), ...start.args],
      {
        cwd: folders.work,
        env: clientEnv,
      },
    );
    return {
      client: client.name,
      script: script.name,
      governedBy,
      requests: model.agentRequests.length,
      exitCode,
      isTimedOut,
      hasAnswer: output.includes(scriptedAnswer),
      isUnchanged: proxy === null ? null : model.agentRequests.every(({ raw }) => proxy.bodies.has(raw)),
      activity: governedBy === 'hook' ? readHookActivity(client, clientEnv) : null,
      problems: model.problems,
      durationMs: performance.now() - startedAt,
      output,
    };
  } finally {
    await proxy?.close();
    await model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function createRunFolders(root: string): RunFolders {
  const folders = { home: join(root, 'home'), work: join(root, 'work') };
  for (const path of Object.values(folders)) mkdirSync(path);
  for (const [name, content] of Object.entries(workFiles)) writeFileSync(join(folders.work, name), content);
  return folders;
}

/** Only what a program needs: no keys and no settings of this machine's user. */
function createClientEnvironment({ home }: RunFolders): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
  };
}

type ProgramResult = {
  readonly exitCode: number | null;
  readonly output: string;
  readonly isTimedOut: boolean;
};

async function runProgram(
  [program = '', ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramResult> {
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    killGroup(child.pid);
  }, runTimeoutMs);
  try {
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { exitCode: code, output: out + err, isTimedOut };
  } finally {
    clearTimeout(timer);
    killGroup(child.pid);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Every process of the group has ended.
  }
}

type GovernorProxy = {
  readonly url: string;
  /** The bodies that the client sent. */
  readonly bodies: ReadonlySet<string>;
  close(): Promise<void>;
};

/** Starts `pawl proxy` as a user does, behind a server that remembers what the client sent. */
async function startGovernorProxy(
  upstream: string,
  { work }: RunFolders,
  env: NodeJS.ProcessEnv,
): Promise<GovernorProxy> {
  const args = [pawl, 'proxy', '--upstream', upstream, '--port', '0', '--json', '--dir', work];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const target = (JSON.parse(line) as { readonly url: string }).url;
  const bodies = new Set<string>();
  const server = createServer((request, response) => {
    const forwarded = sendRequest(new URL(request.url ?? '/', target), {
      method: request.method,
      headers: request.headers,
    });
    forwarded.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      bodies.add(body);
      forwarded.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async close() {
      server.closeAllConnections();
      server.close();
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Installs the hooks in the settings of the client. */
async function installHook(
  { hook }: HostClient,
  { hookCallsMax }: HostScript,
  options: Parameters<typeof runProgram>[1],
): Promise<void> {
  if (hook === null) return;
  const limit = hookCallsMax === undefined ? [] : ['--max-tool-calls', String(hookCallsMax)];
  const args = [process.execPath, pawl, 'hook', 'install', hook, '--yes', ...limit];
  const { exitCode, output } = await runProgram(args, options);
  if (exitCode !== 0) throw new Error(`pawl hook install ${hook} failed: ${output}`);
}

/** Reads what the governor did, as `pawl hook status` does. */
function readHookActivity({ hook }: HostClient, env: NodeJS.ProcessEnv): HookActivity {
  const states = openHookStateStore(
    join(getDataFolder({ env, platform: process.platform }), 'hooks.sqlite'),
    Date.now,
  );
  try {
    const activity = states.readActivity(0).get(hook ?? '');
    return activity ?? { sessions: 0, advice: 0, denials: 0, stops: 0 };
  } finally {
    states.close();
  }
}
