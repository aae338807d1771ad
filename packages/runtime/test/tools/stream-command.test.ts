import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { passthroughSandbox } from '../../src/sandbox/command-sandbox.ts';
import { streamCommand } from '../../src/tools/stream-command.ts';
import { createTempFolder } from '../search/temp-folder.ts';

describe('the output of a command', () => {
  it('is read to its end, however long after the exit that takes', async () => {
    using folder = createTempFolder();
    const chunks: Buffer[] = [];
    const end = await streamCommand({
      sandbox: passthroughSandbox,
      command: ['/bin/sh', '-c', 'seq 1 30000'],
      policy: { cwd: folder.root, writable: [], network: false, env: { PATH: process.env['PATH'] ?? '' } },
      signal: new AbortController().signal,
      async onChunk(chunk) {
        // Longer than a command is given to close its output after its end.
        if (chunks.length === 0) await sleep(700);
        chunks.push(chunk);
      },
    });
    expect(end).toEqual({ kind: 'exited', code: 0, leftRunning: false });
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(30_000);
    expect(lines.at(-1)).toBe('30000');
  });
});
