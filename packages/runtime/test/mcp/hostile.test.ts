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
  it('is reported with its exit code and standard error when it exits at once', async () => {
    const error = await getMcpError(behave('dies-at-once'));
    expect(error.code).toBe('cannot-start');
    expect(error.message).toBe(
      'The MCP server bad did not start. It exited with code 7. Standard error: no such database',
    );
  });

  it('is reported when its command does not exist', async () => {
    const error = await getMcpError(connect({ name: 'none', command: 'pawl-no-such-command' }));
    expect(error.message).toContain(
      'Command not found: "pawl-no-such-command". Install it, or correct its name.',
    );
  });

  it('is reported when its command is not executable', async () => {
    const error = await getMcpError(connect({ name: 'folder', command: import.meta.dirname }));
    expect(error.message).toContain('is not executable');
  });

  it('times out when it never responds', async () => {
    const error = await getMcpError(behave('never-answers', { limits: { startMs: 300 } }));
    expect(error.code).toBe('too-slow');
    expect(error.message).toContain('increase startMs');
  });

  it('is abandoned when the caller cancels', async () => {
    const stop = new AbortController();
    const started = getMcpError(behave('never-answers', { signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect((await started).message).toBe('Cancelled before it was started.');
    expect((await getMcpError(behave('good', { signal: AbortSignal.abort() }))).code).toBe('closed');
  });

  it('is reported with its own error message, without control characters', async () => {
    const error = await getMcpError(behave('refuses'));
    expect(error.code).toBe('bad-answer');
    expect(error.message).toBe('The MCP server bad rejected the connection: We do not\\u001b like you');
  });

  it('is rejected when its handshake is invalid', async () => {
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
  ])('is rejected before anything runs: %j', async (server, problem) => {
    const error = await getMcpError(connect(server));
    expect(error.code).toBe('bad-server');
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('secret');
  });
});

describe('a server that misbehaves while it is called', () => {
  it('fails the call when it exits, says what to do, and is restarted for the next call', async () => {
    const connection = await behave('dies-on-call', { limits: { backoffMs: 1 } });
    const failure = await getCallFailure(callMcpTool(connection, 'bad__echo'));
    expect(failure).toBe(
      'failed: The MCP server bad disconnected during this call. It exited with code 3. Standard error: out of luck\\u001b[31m The call may have completed fully, partially or not at all. Check before you repeat it. The next call restarts the server.',
    );
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(failure);
  });

  it('is not restarted forever when it exits every time', async () => {
    const connection = await behave('dies-on-call', { limits: { restarts: 2, backoffMs: 1 } });
    for (let count = 0; count < 3; count += 1)
      expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
        'disconnected during this call',
      );
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The MCP server bad was started 2 times in a row without completing a call, so it is not restarted. Fix it, then start a new session.',
    );
  });

  it('is restarted as often as needed while its calls complete', async () => {
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

  it('times out and receives a cancellation', async () => {
    const connection = await behave('silent', { limits: { callMs: 200 } });
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'timeout: The MCP server bad did not respond within 200 ms, so the call was cancelled. The call may have completed fully, partially or not at all. Check before you repeat it.',
    );
    const notes = join(folder, 'silent.notes');
    await expect.poll(() => readFileSync(notes, 'utf8')).toContain('cancelled');
  });

  it('receives a cancellation when a call is cancelled', async () => {
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

  it('has only its first response used when it responds twice', async () => {
    const connection = await behave('answers-twice');
    for (let count = 0; count < 3; count += 1)
      expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'first' });
  });

  it.each(['huge', 'huge-in-front'])('keeps running after an oversized result: %s', async (way) => {
    const connection = await behave(way);
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The MCP server bad rejected the call: The response is invalid. It has more than 8388608 bytes. Request less data at a time.',
    );
    expect(connection.problems).toEqual([]);
  });

  it('is killed when it sends oversized messages that belong to no call', async () => {
    const connection = await behave('huge-nameless');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
      'It writes output that is not MCP to standard output.',
    );
  });

  it('cannot overflow the stack with a deeply nested result', async () => {
    const connection = await behave('deep');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain('It is nested too deeply.');
  });

  it('may write lines that are not messages', async () => {
    const connection = await behave('malformed');
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'still here' });
    expect(({} as { readonly x?: number }).x).toBeUndefined();
  });

  it('may write a greeting before the handshake', async () => {
    const connection = await behave('chatty');
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
  });

  it('is killed when it writes only invalid output', async () => {
    const connection = await behave('garbage');
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain('that is not MCP');
  });

  it('is killed when its message never ends', async () => {
    const connection = await behave('endless', { limits: { floodBytes: 20 * 2 ** 20 } });
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toContain(
      'It wrote a message of more than 20971520 bytes.',
    );
  });

  it('may flood its standard error', async () => {
    const connection = await behave('stderr-flood');
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'done' });
  });

  it('is killed when it does not read its input', async () => {
    await expect(behave('deaf', { limits: { unsentBytes: 100_000, startMs: 20_000 } })).rejects.toThrow(
      'It does not read its standard input.',
    );
  });

  it('reports progress at a limited rate, on one line', async () => {
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

  it('does not cause a reload for each change notification', async () => {
    const connection = await behave('change-flood');
    for (let count = 0; count < 3; count += 1)
      expect(await getCallOutput(callMcpTool(connection, 'bad__echo'))).toBe('done');
    await connection.close();
    const lists = readFileSync(join(folder, 'change-flood.notes'), 'utf8').trim().split('\n');
    expect(lists.length).toBeLessThan(100);
  });

  it('gets no sampling, user input or roots', async () => {
    const connection = await behave('asks-back');
    const refused: unknown = JSON.parse(await getCallOutput(callMcpTool(connection, 'bad__echo')));
    expect(refused).toMatchObject([900, 901, 902].map((id) => ({ id, error: { code: -32_601 } })));
  });

  it('has an invalid result described as text', async () => {
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

  it('has control characters removed from its errors', async () => {
    expect(await getCallFailure(callMcpTool(await behave('error'), 'bad__echo'))).toBe(
      'failed: The MCP server bad rejected the call: nothing\\u001b[2J works',
    );
  });

  it.each([[7], ['x'], [null], [[]]])(
    'is not called with arguments that are not an object: %j',
    async (args) => {
      const connection = await behave('good');
      expect(await getCallFailure(callMcpTool(connection, 'bad__echo', args))).toBe(
        'invalid: The arguments of bad__echo must be an object, such as {}.',
      );
    },
  );

  it('fails pending calls when it is closed', async () => {
    const connection = await behave('silent');
    const result = callMcpTool(connection, 'bad__echo');
    await connection.close();
    expect(await getCallFailure(result)).toContain(
      'disconnected during this call. The connection was closed.',
    );
  });

  it('is not restarted once it is closed', async () => {
    const connection = await behave('good');
    await connection.close();
    expect(await getCallFailure(callMcpTool(connection, 'bad__echo'))).toBe(
      'failed: The connection to the MCP server bad is closed.',
    );
  });
});

it('uses the newest protocol with a server that supports no other', async () => {
  const connection = await connect(createFixtureServer('modern', folder));
  expect(await callMcpTool(connection, 'bad__echo')).toEqual({ ok: true, output: 'modern' });
});
