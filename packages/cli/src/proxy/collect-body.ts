import type { IncomingMessage } from 'node:http';

/** Maximum body length; a longer body is forwarded unread. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a request body; null if it is too long, and then the request can still be read from the start. */
export function collectBody(req: IncomingMessage, max: number = maxBodyBytes): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (body: Buffer | null): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= max) return;
      req.pause();
      finish(null);
      req.unshift(Buffer.concat(chunks));
    };
    const onEnd = (): void => finish(Buffer.concat(chunks));
    const onClose = (): void => reject(new Error('The client disconnected before its request was complete.'));
    req.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}
