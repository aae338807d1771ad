import { PassThrough } from 'node:stream';
import { createInMemoryStorage } from '@pawl/runtime/storage';
import { describe, expect, it } from 'vitest';
import { serveMcpOverStdio } from '../../src/mcp-server/server.ts';

function startMcpServer(): {
  readonly stdin: PassThrough;
  readonly output: () => string;
  readonly errors: Error[];
  readonly stop: () => void;
  readonly ended: Promise<void>;
} {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  const stopping = new AbortController();
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = serveMcpOverStdio({
    version: '1.2.3',
    storage: createInMemoryStorage(),
    now: () => 0,
    stdin,
    stdout,
    onError: (error) => void errors.push(error),
    signal: stopping.signal,
  });
  return { stdin, output: () => output, errors, stop: () => stopping.abort(), ended };
}

const initializeRequest = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('serving MCP over streams', () => {
  it('answers a client and ends when it disconnects', async () => {
    const { stdin, output, errors, ended } = startMcpServer();
    stdin.write(`${JSON.stringify(initializeRequest)}\n`);
    await expect.poll(output).toMatch(/\n$/);
    expect(JSON.parse(output())).toMatchObject({
      id: 1,
      result: { serverInfo: { name: 'pawl', version: '1.2.3' } },
    });
    stdin.end();
    await ended;
    expect(errors).toEqual([]);
  });

  it('ends when the signal is aborted', async () => {
    const { stop, ended } = startMcpServer();
    stop();
    expect(await ended).toBeUndefined();
  });
});
