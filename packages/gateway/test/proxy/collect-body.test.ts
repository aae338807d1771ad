import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { collectBody } from '../../src/proxy/server.ts';

/** Returns what `collectBody` reads, and what can still be read afterwards. */
function collectFromServer(
  body: Buffer,
  max: number,
): Promise<{ readonly read: Buffer | null; readonly left: Buffer }> {
  return new Promise((resolve, reject) => {
    const server = createServer((req, res) => {
      collectBody(req, max)
        .then(
          async (read) => resolve({ read, left: read === null ? await buffer(req) : Buffer.alloc(0) }),
          reject,
        )
        .finally(() => {
          res.end();
          server.close();
        });
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const clientRequest = request({ port, method: 'POST', agent: false }, (res) => res.resume());
      for (let start = 0; start < body.length; start += 50_000)
        clientRequest.write(body.subarray(start, start + 50_000));
      clientRequest.end();
    });
  });
}

const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => `${index},`).join(''));

describe('collectBody', () => {
  it('reads a body that is not too long', async () => {
    const { read } = await collectFromServer(body, body.length);
    expect(read?.equals(body)).toBe(true);
  });

  it('leaves a body that is too long readable from the start', async () => {
    const { read, left } = await collectFromServer(body, 100_000);
    expect(read).toBeNull();
    expect(left.equals(body)).toBe(true);
  });
});
