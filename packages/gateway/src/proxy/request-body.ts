import type { Json } from '@pawl/governor';
import type { IncomingMessage } from 'node:http';
import { toJsonFields, type JsonFields } from '../json-fields.ts';

/** Parses a request body; null if it is not a JSON object. */
export function parseRequestBody(bytes: Buffer): JsonFields | null {
  return parseBodyFields(bytes);
}

/**
 * Applies a change to the body. Numbers beyond JavaScript's precision keep their source text, so that everything else
 * stays identical. This is slower than plain parsing, so only changed requests are rewritten.
 */
export function rewriteRequestBody(bytes: Buffer, change: (body: JsonFields) => JsonFields): Buffer {
  return Buffer.from(JSON.stringify(change(parseBodyFields(bytes, preserveLargeNumbers) ?? {})));
}

function parseBodyFields(bytes: Buffer, reviver?: JsonReviver): JsonFields | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return toJsonFields(JSON.parse(text, reviver) as Json);
  } catch {
    return null;
  }
}

type JsonReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

function preserveLargeNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  // Decimals have several equivalent spellings; only integers that would lose digits need their source text.
  return /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? rawJson(source) : value;
}

/** Newer than TypeScript's lib types. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };

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
