import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createFixtureServer,
  callMcpTool,
  getMcpError,
  getCallFailure,
  isProcessAlive,
  getCallOutput,
  createMcpTestServer,
} from './mcp-test-server.ts';

const { folder, connect, behave } = createMcpTestServer();

describe('a server that cannot be started', () => {
  it('is told by its exit code and its last words when it dies at once', async () => {
    const error = await getMcpError(behave('dies-at-once'));
    expect(error.code).toBe('cannot-start');
    expect(error.message).toBe(
      'The MCP server bad did not start. It exited with code 7. Standard error: no such database',
    );
  });

  it('is named when there is no such command', async () => {
    const error = await getMcpError(connect({ name: 'none', command: 'pawl-no-such-command' }));
    expect(error.message).toContain(
      'Command not found: "pawl-no-such-command". Install it, or correct its name.',
    );
  });

  it('is named when its command is not executable', async () => {
    const error = await getMcpError(connect({ name: 'folder', command: import.meta.dirname }));
    expect(error.message).toContain('is not executable');
  });

  it('is given up on when it never answers', async () => {
    const error = await getMcpError(behave('never-answers', { limits: { startMs: 300 } }));
    expect(error.code).toBe('too-slow');
    expect(error.message).toContain('increase startMs');
  });

  it('is given up on when nobody wants to wait any longer', async () => {
    const stop = new AbortController();
    const started = getMcpError(behave('never-answers', { signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect((await started).message).toBe('Cancelled before it was started.');
    expect((await getMcpError(behave('good', { signal: AbortSignal.abort() }))).code).toBe('closed');
  });

  it('is believed when it refuses, without its control characters', async () => {
    const error = await getMcpError(behave('refuses'));
    expect(error.code).toBe('bad-answer');
    expect(error.message).toBe('The MCP server bad rejected the connection: We do not\\u001b like you');
  });

  it('is refused when its handshake is none', async () => {
    const error = await getMcpError(behave('bad-handshake'));
    expect(error.code).toBe('bad-answer');
    expect(error.message).toContain('does not follow the protocol');
  });

  it.each([
    [{ name: 'a__b', command: 'x' }, 'has an invalid name'],
    [{ name: '_a', command: 'x' }, 'has an invalid name'],
    [{ name: '__proto__', command: 'x' }, 'has an invalid name'],
    [{ name: 'a', command: '' }, 'has no command'],
    [{ name: 'a', command: '-c' }, 'has no command'],
    [{ name: 'a', command: 'x', args: ['a\0b'] }, 'NUL character'],
    [{ name: 'a', command: 'x', cwd: '/no/such/folder' }, 'is not a folder'],
    [{ name: 'a', command: 'x', env: { KEY: '${PAWL_NOT_SET}' } }, 'PAWL_NOT_SET'],
    [{ name: 'a', url: 'file:///etc/passwd' }, 'only http:// and https:// are supported'],
    [{ name: 'a', url: 'nowhere' }, 'only http:// and https:// are supported'],
    [{ name: 'a', url: 'https://me:secret@example.com/' }, 'has credentials in its URL'],
  ])('is refused before anything runs: %j', async (server, problem) => {
    const error = await getMcpError(connect(server));
    expect(error.code).toBe('bad-server');
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('secret');
  });
});

describe('a server that misbehaves while it is called', () => {
  it('fails the call when it dies, says what to do, and is started again for the next', async () => {
    const connection = await behave('dies-on-call', { limits: { backoffMs: 1 } });
    const failure = await getCallFailure(callMcpTool(connection, 'bad__echo'));
    expect(failure).toBe(
      'failed: The MCP server bad disconnected during this call. It exited with code 3. Standard error: out of luck\\u001b[31m The call may have completed fully, partially or not at all. Check before you repeat it. The next call restarts the server.',
    );
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(failure);
  });

  it('is not started for ever when it dies every time', async () => {
    const connection = await behave('dies-on-call', { limits: { restarts: 2, backoffMs: 1 } });
    for (let count = 0; count < 3; count += 1)
      expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
        'disconnected during this call',
      );
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The MCP server bad was started 2 times in a row without completing a call, so it is not restarted. Fix it, then start a new session.',
    );
  });

  it('is started again as often as needed while its calls come to an end', async () => {
    const connection = await behave('good', { limits: { restarts: 1, backoffMs: 1 } });
    const pids = new Set<string>();
    for (let count = 0; count < 4; count += 1) {
      const result = await callMcpTool(connection, 'bad__echo', { text: 'hello' });
      expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/^echo: hello \(\d+\)$/) });
      const pid = /\((\d+)\)/.exec(JSON.stringify(result))?.[1] ?? '';
      pids.add(pid);
      process.kill(Number(pid), 'SIGKILL');
      await expect.poll(() => isProcessAlive(Number(pid))).toBe(false);
    }
    expect(pids.size).toBe(4);
  });

  it('runs out of time, and is told to stop', async () => {
    const connection = await behave('silent', { limits: { callMs: 200 } });
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'timeout: The MCP server bad did not respond within 200 ms, so the call was cancelled. The call may have completed fully, partially or not at all. Check before you repeat it.',
    );
    const notes = join(folder, 'silent.notes');
    await expect.poll(() => readFileSync(notes, 'utf8')).toContain('cancelled');
  });

  it('is told when a call is called off', async () => {
    const notes = join(folder, 'silent.notes');
    const before = existsSync(notes) ? readFileSync(notes, 'utf8') : '';
    const connection = await behave('silent');
    const stop = new AbortController();
    const result = callMcpTool(connection, 'bad__echo', {}, { signal: stop.signal });
    await expect.poll(() => readFileSync(notes, 'utf8').slice(before.length)).toContain('called');
    stop.abort();
    expect(await getCallFailure(result)).toContain('interrupted: Cancelled while bad was running it.');
    await expect.poll(() => readFileSync(notes, 'utf8').slice(before.length)).toContain('cancelled');
  });

  it('is taken at its first word when it answers twice', async () => {
    const connection = await behave('answers-twice');
    for (let count = 0; count < 3; count += 1)
      expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'first' });
  });

  it.each(['huge', 'huge-in-front'])('lives on after a result that is too large to take: %s', async (way) => {
    const connection = await behave(way);
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The MCP server bad rejected the call: The response is invalid. It has more than 8388608 bytes. Request less data at a time.',
    );
    expect(connection.problems).toEqual([]);
  });

  it('is ended when it sends what is too large and fits no call', async () => {
    const connection = await behave('huge-nameless');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
      'It writes output that is not MCP to standard output.',
    );
  });

  it('cannot overflow the stack with a deep result', async () => {
    const connection = await behave('deep');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain('It is nested too deeply.');
  });

  it('is heard through lines that are no messages', async () => {
    const connection = await behave('malformed');
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'still here' });
    expect(({} as { readonly x?: number }).x).toBeUndefined();
  });

  it('may greet before it begins', async () => {
    const connection = await behave('chatty');
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
  });

  it('is ended when it writes nothing but rubbish', async () => {
    const connection = await behave('garbage');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain('that is not MCP');
  });

  it('is ended when its message has no end', async () => {
    const connection = await behave('endless', { limits: { floodBytes: 20 * 2 ** 20 } });
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
      'It wrote a message of more than 20971520 bytes.',
    );
  });

  it('may flood its standard error', async () => {
    const connection = await behave('stderr-flood');
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'done' });
  });

  it('is ended when it does not read what it asks for', async () => {
    await expect(behave('deaf', { limits: { unsentBytes: 100_000, startMs: 20_000 } })).rejects.toThrow(
      'It does not read its standard input.',
    );
  });

  it('reports progress no faster than anybody can read, on one line', async () => {
    const connection = await behave('progress-flood', { limits: { reports: 3, reportGapMs: 0 } });
    const reports: string[] = [];
    const result = await callMcpTool(
      connection,
      'bad__echo',
      {},
      { report: (progress) => reports.push(progress) },
    );
    expect(result).toEqual({ ok: true, output: 'done' });
    expect(reports).toEqual([1, 2, 3].map((count) => `${count} of 5000: at\\u000awork\\u001b`));
  });

  it('is not asked for its tools each time it says that they have changed', async () => {
    const connection = await behave('change-flood');
    for (let count = 0; count < 3; count += 1)
      expect(await getCallOutput(callMcpTool(connection, 'bad__echo'))).toBe('done');
    await connection.close();
    const lists = readFileSync(join(folder, 'change-flood.notes'), 'utf8').trim().split('\n');
    expect(lists.length).toBeLessThan(100);
  });

  it('gets no model, no user and no folders from us', async () => {
    const connection = await behave('asks-back');
    const refused: unknown = JSON.parse(await getCallOutput(callMcpTool(connection, 'bad__echo')));
    expect(refused).toMatchObject([900, 901, 902].map((id) => ({ id, error: { code: -32_601 } })));
  });

  it('is described in words when its result is none', async () => {
    const connection = await behave('bad-result');
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({
      ok: true,
      output: [
        '[content of an unknown type; not shown]',
        '[content of an unknown type; not shown]',
        '[content of an unknown type (text); not shown]',
        '[content of an unknown type (hologram\\u001b); not shown]',
        '[image; not shown]',
      ].join('\n'),
    });
    expect(await getCallFailure(callMcpTool(await behave('no-result'), 'bad__echo'))).toMatch(/^failed: /);
  });

  it('has its errors shown without control characters', async () => {
    expect(await getCallFailure(callMcpTool(await behave('error'), 'bad__echo'))).toBe(
      'failed: The MCP server bad rejected the call: nothing\\u001b[2J works',
    );
  });

  it.each([[7], ['x'], [null], [[]]])('is not asked with arguments that are no object: %j', async (args) => {
    const connection = await behave('good');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo', args))).toBe(
      'invalid: The arguments of bad__echo must be an object, such as {}.',
    );
  });

  it('fails the calls that wait for it when it is closed', async () => {
    const connection = await behave('silent');
    const result = callMcpTool(connection, 'bad__echo');
    await connection.close();
    expect(await getCallFailure(result)).toContain(
      'disconnected during this call. The connection was closed.',
    );
  });

  it('is not started again once it is closed', async () => {
    const connection = await behave('good');
    await connection.close();
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The connection to the MCP server bad is closed.',
    );
  });
});

it('speaks the newest protocol with a server that knows no other', async () => {
  const connection = await connect(createFixtureServer('modern', folder));
  expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'modern' });
});
