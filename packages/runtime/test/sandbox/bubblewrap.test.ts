import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configFileNames } from '../../src/platform/data-folder.ts';
import { createBubblewrapSandbox, SandboxError } from '../../src/sandbox/bubblewrap.ts';
import { countProcesses } from '../tools/running-processes.ts';
import { runInSandbox, createScratchFolder } from './run-in-sandbox.ts';

let folder: ReturnType<typeof createScratchFolder>;
let workspace = '';
let outside = '';

beforeEach(() => {
  folder = createScratchFolder();
  workspace = join(folder.path, 'workspace');
  outside = join(folder.path, 'outside');
  mkdirSync(workspace);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'the secret');
});

afterEach(() => folder.remove());

describe('files', { tags: ['bubblewrap'] }, () => {
  it('lets a command change the workspace', async () => {
    const end = await runInSandbox('echo hello > new && mkdir -p a/b && mv new a/b/c', { cwd: workspace });
    expect(end).toMatchObject({ kind: 'exited', code: 0 });
    expect(readFileSync(join(workspace, 'a/b/c'), 'utf8')).toBe('hello\n');
  });

  it('prevents writes outside the workspace', async () => {
    const places = ['/', '/usr', '/etc', '/opt', '/proc/sys', outside];
    const tries = places.map((path) => `(echo x > "${path}/pawl-was-here") && echo "wrote ${path}"`);
    const { stdout } = await runInSandbox(tries.join('\n'), { cwd: workspace });
    expect(stdout).toBe('');
    expect(places.filter((path) => existsSync(join(path, 'pawl-was-here')))).toEqual([]);
  });

  it('mounts the workspace read-only if it is not writable', async () => {
    writeFileSync(join(workspace, 'file'), 'as it was');
    const end = await runInSandbox('cat file; echo x > file || echo refused', {
      cwd: workspace,
      writable: [],
    });
    expect(end.stdout).toBe('as it wasrefused\n');
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('as it was');
  });

  it('hides the home folder, even around the workspace', async () => {
    const home = join(folder.path, 'home');
    const project = join(home, 'code/project');
    mkdirSync(project, { recursive: true });
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/id_ed25519'), 'the key');
    const { stdout } = await runInSandbox(
      `cd && ls -A . code; cat .ssh/id_ed25519; echo kept > ${project}/file`,
      { cwd: project, env: { PATH: '/usr/bin:/bin', HOME: home } },
      { home },
    );
    expect(stdout).toBe('.:\ncode\n\ncode:\nproject\n');
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('kept\n');
  });

  it("hides the user's home folder by default", async () => {
    const { stdout } = await runInSandbox(`ls -A ${homedir()}`, { cwd: workspace });
    const [nodesOwn = ''] = relative(homedir(), process.execPath).split('/');
    expect(stdout.split('\n').filter((name) => name !== '' && name !== nodesOwn)).toEqual([]);
  });

  it('gives each command its own empty /tmp', async () => {
    const name = `mine-${randomUUID()}`;
    const { stdout } = await runInSandbox(`echo x > /tmp/${name}; ls /tmp; ls /var/tmp`, { cwd: workspace });
    expect(stdout.split('\n')).toContain(name);
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    expect((await runInSandbox(`cat ${outside}/secret`, { cwd: workspace })).stdout).toBe('');
  });

  it('limits the size of files in memory', async () => {
    const { stdout } = await runInSandbox(
      `df --output=size -B1 /tmp /var/tmp /dev/shm "$HOME" | tail -n +2 | sort -u
      (echo x > /dev/shm/a) && (echo x > /dev/a) && echo "in /dev"; echo x > /dev/null && echo done`,
      { cwd: workspace, env: { PATH: '/usr/bin:/bin', HOME: homedir() } },
    );
    expect(stdout.trim().split(/\s+/)).toEqual([String(2 * 1024 ** 3), 'done']);
  });

  it('mounts readable paths read-only', async () => {
    const end = await runInSandbox(`cat ${outside}/secret; echo x > ${outside}/secret`, {
      cwd: workspace,
      readable: [outside],
    });
    expect(end).toMatchObject({ stdout: 'the secret', code: 1 });
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('the secret');
  });

  it('mounts a folder under its given name if that is a link', async () => {
    const link = join(folder.path, 'link');
    symlinkSync(workspace, link);
    const end = await runInSandbox(`pwd; echo x > ${link}/a; echo x > ${workspace}/b; ls`, { cwd: link });
    expect(end.stdout).toBe(`${link}\na\nb\n`);
  });

  it('allows programs of the search path outside the system folders', async () => {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'own-tool'), '#!/bin/sh\necho it runs\n', { mode: 0o755 });
    const env = { PATH: `${bin}:/usr/bin:/bin:relative:` };
    expect((await runInSandbox('own-tool', { cwd: workspace, env })).stdout).toBe('it runs\n');
    const version = await runInSandbox('node --version', {
      cwd: workspace,
      env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` },
    });
    expect(version.stdout).toBe(`${process.version}\n`);
  });
});

describe('links and paths', { tags: ['bubblewrap'] }, () => {
  it('does not follow links from the workspace to the outside', async () => {
    symlinkSync(join(outside, 'secret'), join(workspace, 'file'));
    symlinkSync(outside, join(workspace, 'folder'));
    symlinkSync('/', join(workspace, 'root'));
    const { stdout } = await runInSandbox(
      `cat file folder/secret root${outside}/secret ../outside/secret
      echo changed > file; echo changed > folder/secret; echo changed > folder/new; ln ${outside}/secret hard && echo linked
      cat /proc/self/cwd/../outside/secret /proc/1/root${outside}/secret /proc/self/root${outside}/secret`,
      { cwd: workspace },
    );
    expect(stdout).toBe('');
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('the secret');
  });

  it('does not follow a link that is created inside', async () => {
    const { stdout } = await runInSandbox(`ln -s ${outside} out && echo x > out/new; cat out/secret`, {
      cwd: workspace,
    });
    expect(stdout).toBe('');
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it.each([
    { paths: { cwd: 'relative' }, code: 'relative' },
    { paths: { cwd: '/there/is/no/such/folder' }, code: 'missing' },
    { paths: { cwd: '/' }, code: 'home' },
    { paths: { cwd: homedir() }, code: 'home' },
    { paths: { cwd: '/usr', writable: [homedir()] }, code: 'home' },
    { paths: { cwd: '/usr', writable: [join(homedir(), '..')] }, code: 'home' },
    { paths: { cwd: '/usr', readable: [homedir()] }, code: 'home' },
  ])('rejects a policy that exposes everything: $paths', ({ paths, code }) => {
    const policy = { writable: [], network: false, env: {}, ...paths };
    const launch = (): unknown => createBubblewrapSandbox().launch(['true'], policy);
    expect(launch).toThrow(SandboxError);
    expect(launch).toThrow(expect.objectContaining({ code }));
  });

  it('resolves a link to the home folder', () => {
    symlinkSync(homedir(), join(folder.path, 'link'));
    const cwd = join(folder.path, 'link');
    expect(() =>
      createBubblewrapSandbox().launch(['true'], { cwd, writable: [], network: false, env: {} }),
    ).toThrow('home folder');
  });
});

describe('files that git and Pawl execute', { tags: ['bubblewrap'] }, () => {
  beforeEach(() => {
    execFileSync('git', ['init', '--quiet', workspace]);
    writeFileSync(join(workspace, 'pawl.config.json'), '{}');
  });

  it('stay unchanged, whatever a command does in the workspace', async () => {
    const before = readdirSync(join(workspace, '.git'), { recursive: true });
    const { stdout } = await runInSandbox(
      `git init --quiet other && mv other/.git planted
      (echo x > .git/hooks/pre-commit) && echo hook
      (echo x >> .git/config) && echo config
      (echo ../planted > .git/commondir) && echo commondir
      mv .git elsewhere && echo moved
      rm -rf .git && echo removed
      (echo x > pawl.config.json) && echo own config
      rm -f pawl.config.json && echo own config removed
      mv planted/config pawl.config.json && echo own config replaced`,
      { cwd: workspace },
    );
    expect(stdout).toBe('');
    expect(readdirSync(join(workspace, '.git'), { recursive: true })).toEqual(before);
    expect(readFileSync(join(workspace, 'pawl.config.json'), 'utf8')).toBe('{}');
  });

  it.each(configFileNames)('is also what %s holds', async (name) => {
    writeFileSync(join(workspace, name), 'as it was');
    await runInSandbox(`echo x > ${name}; rm -f ${name}`, { cwd: workspace });
    expect(readFileSync(join(workspace, name), 'utf8')).toBe('as it was');
  });

  it('allow reading the git history', async () => {
    writeFileSync(join(workspace, 'file'), '');
    expect((await runInSandbox('git status --porcelain', { cwd: workspace })).stdout).toContain('?? file');
  });

  it('allow writing the git history if .git is writable, but no hook or setting', async () => {
    const identity = '-c user.name=n -c user.email=e@e.e';
    const end = await runInSandbox(
      `git add . && git ${identity} commit --quiet -m m && git log --format=%s
      (echo x > .git/hooks/pre-commit) || (echo x >> .git/config) || echo kept`,
      { cwd: workspace, writable: [workspace, join(workspace, '.git')] },
    );
    expect(end.stdout).toBe('m\nkept\n');
  });
});

describe('network and sockets', { tags: ['bubblewrap'] }, () => {
  let server: Server;
  afterEach(() => void server.close());

  async function listen(at: string | number): Promise<void> {
    server = createServer((socket) => void socket.on('error', () => undefined).end('reached\n'));
    await new Promise<void>((resolve) => {
      if (typeof at === 'string') server.listen(at, resolve);
      else server.listen(at, '127.0.0.1', resolve);
    });
  }

  it('blocks the network unless the policy allows it', async () => {
    await listen(0);
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const connect = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    expect((await runInSandbox(connect, { cwd: workspace })).stdout).toBe('');
    expect((await runInSandbox(connect, { cwd: workspace, network: true })).stdout).toBe('reached\n');
  });

  it.each([
    { network: false, name: 'off' },
    { network: true, name: 'on' },
  ])('hides sockets of the machine with the network $name', async ({ network }) => {
    const socket = join(outside, 'agent.sock');
    await listen(socket);
    const script = `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un($ENV{AT})) and print <$s>`;
    const run = (at: string, readable: readonly string[]): ReturnType<typeof runInSandbox> =>
      runInSandbox(`perl -e '${script}'`, {
        cwd: workspace,
        network,
        readable,
        env: { PATH: '/usr/bin:/bin', AT: at },
      });
    expect((await run(socket, [])).stdout).toBe('');
    // The very same attempt succeeds where the socket is shown, so it is the hiding that stops it.
    expect((await run(socket, [outside])).stdout).toBe('reached\n');
    expect((await runInSandbox('ls -A /run /var/run', { cwd: workspace, network })).stdout).toBe('');
  });

  it('hides abstract sockets', async () => {
    const name = `pawl-test-${process.pid}`;
    await listen(`\0${name}`);
    const script = `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un("\\0${name}")) and print <$s>`;
    expect((await runInSandbox(`perl -e '${script}'`, { cwd: workspace })).stdout).toBe('');
  });
});

describe('processes and privileges', { tags: ['bubblewrap'] }, () => {
  it('hides other processes', async () => {
    const { stdout } = await runInSandbox(
      `kill -0 ${process.pid} && echo seen; ls /proc | grep -c '^[0-9]'`,
      {
        cwd: workspace,
      },
    );
    expect(stdout).not.toContain('seen');
    expect(Number(stdout)).toBeLessThan(8);
  });

  it('passes exactly the given environment', async () => {
    vi.stubEnv('PAWL_TEST_SECRET', 'the secret');
    const env = { PATH: '/usr/bin:/bin', GREETING: 'hello' };
    const { stdout } = await runInSandbox('env; cat /proc/*/environ', { cwd: workspace, env });
    vi.unstubAllEnvs();
    expect(stdout).toContain('GREETING=hello');
    expect(stdout).not.toContain('the secret');
    expect(stdout.split('\n').filter((line) => line.startsWith('SSH_'))).toEqual([]);
  });

  it('prevents kernel changes and reading passwords, even for root', async () => {
    const { stdout } = await runInSandbox(
      `cd /proc/sys/kernel; value=$(cat core_pattern); (echo "$value" > core_pattern) && echo changed
      cat /etc/shadow; ls -A /etc/ssh
      unshare --user true && echo namespace
      mount -t tmpfs none /tmp && echo mounted
      grep CapEff /proc/self/status`,
      { cwd: workspace },
    );
    expect(stdout).toBe('CapEff:\t0000000000000000\n');
  });

  it('kills all its processes when the parent process is killed', async () => {
    const seconds = `98${process.pid}.125`;
    const launch = createBubblewrapSandbox().launch(
      ['bash', '-c', `setsid sleep ${seconds} & setsid nohup sleep ${seconds} & echo > started; wait`],
      { cwd: workspace, writable: [workspace], network: false, env: { PATH: '/usr/bin:/bin' } },
    );
    const code = `const { file, args, env } = ${JSON.stringify(launch)};
      require('node:child_process').spawn(file, args, { env, detached: true, stdio: 'ignore' });
      setInterval(() => undefined, 1_000);`;
    const parent = spawn(process.execPath, ['--input-type=commonjs', '-e', code], { stdio: 'ignore' });
    await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true);
    await expect.poll(() => countProcesses(seconds)).toBeGreaterThanOrEqual(2);
    parent.kill('SIGKILL');
    await expect.poll(() => countProcesses(seconds)).toBe(0);
  });
});
