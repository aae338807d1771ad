/* A collector that accepts and discards everything, in its own process so that its work is not measured. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let bytes = 0;
const server = createServer((request, response) => {
  if (request.url === '/bytes') {
    response.end(String(bytes));
    return;
  }
  request.on('data', (piece: Buffer) => (bytes += piece.length));
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
