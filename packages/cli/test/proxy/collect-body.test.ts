import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { collectBody } from '../../src/proxy/collect-body.ts';

/** What `collected` makes of a body, and what is left to be read after it. */
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
      const going = request({ port, method: 'POST', agent: false }, (res) => res.resume());
      for (let start = 0; start < body.length; start += 50_000)
        going.write(body.subarray(start, start + 50_000));
      going.end();
    });
  });
}

const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => `${index},`).join(''));

describe('collected', () => {
  it('reads a body that is not too long', async () => {
    const { read } = await collectFromServer(body, body.length);
    expect(read?.equals(body)).toBe(true);
  });

  it('leaves one that is too long to be read from its beginning', async () => {
    const { read, left } = await collectFromServer(body, 100_000);
    expect(read).toBeNull();
    expect(left.equals(body)).toBe(true);
  });
});
