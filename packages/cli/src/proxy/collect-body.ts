import type { IncomingMessage } from 'node:http';

/** Maximum body length; a longer body is forwarded unread. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a request body; null if it is too long, and then the request can still be read from the start. */
export function collectBody(req: IncomingMessage, max: number = maxBodyBytes): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = (body: Buffer | null): void => {
      req.off('data', take).off('end', end).off('close', gone);
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= max) return;
      req.pause();
      done(null);
      req.unshift(Buffer.concat(chunks));
    };
    const end = (): void => done(Buffer.concat(chunks));
    const gone = (): void => reject(new Error('The client left before its request was complete.'));
    req.on('data', take).once('end', end).once('close', gone);
  });
}
