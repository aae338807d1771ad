import type { IncomingMessage } from 'node:http';

/** The longest body that is read; what is longer passes unread. */
const bodyMax = 64 * 1024 * 1024;

/** The body of a request; null when it is too long, and then still to be read from its beginning. */
export function collected(req: IncomingMessage, max: number = bodyMax): Promise<Buffer | null> {
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
