import { promisify } from 'node:util';
import { brotliDecompress, unzip, zstdDecompress } from 'node:zlib';
import type { Json } from '@pawl/core';
import { RepetitionDetector } from '@pawl/governor';
import { toJsonFields } from '../json-fields.ts';
import { SseEventReader } from './sse.ts';
import type { ObservedReply, WireFormat } from './wire-format.ts';

/** Observes a reply while it passes. */
export type ReplyObserver = {
  /**
   * Reads a chunk. Null forwards it unchanged; otherwise the reply has become a repetition loop: forward only `pass`
   * bytes of the chunk, then `ending`.
   */
  readChunk(chunk: Buffer): { readonly passBytes: number; readonly ending: string } | null;
  /** Returns the complete reply; null if it cannot be read. */
  end(): Promise<ObservedReply | null>;
};

export type ReplyEncoding = { readonly type: string; readonly encoding: string };

/** Maximum size of a non-streamed reply that is buffered for reading. */
const maxReplyBytes = 16 * 1024 * 1024;

export function observeReply(wire: WireFormat, { type, encoding }: ReplyEncoding): ReplyObserver {
  const isStream = /^text\/event-stream\b/i.test(type);
  if (isStream) return encoding === '' || encoding === 'identity' ? observeStream(wire) : noopReplyObserver;
  return observeWholeReply(wire, encoding);
}

/** A stream that is compressed although we did not accept compression is forwarded unread. */
const noopReplyObserver: ReplyObserver = { readChunk: () => null, end: () => Promise.resolve(null) };

function observeStream(wire: WireFormat): ReplyObserver {
  const events = new SseEventReader();
  const reader = wire.createReader();
  const repetition = new RepetitionDetector();
  let tail = Buffer.alloc(0);
  return {
    readChunk(chunk) {
      const before = tail;
      tail = Buffer.concat([tail, chunk.subarray(-maxEventBreakBytes)]).subarray(-maxEventBreakBytes);
      for (const event of events.read(chunk)) {
        const text = reader.read(event);
        if (text === '' || repetition.addText(text) === null) continue;
        return { passBytes: findLastEventEnd(before, chunk), ending: reader.formatEnding() };
      }
      return null;
    },
    end: () => Promise.resolve(reader.getReply()),
  };
}

/** The longest event separator, which may arrive in parts. */
const maxEventBreakBytes = 3;

/** Returns the end of the last complete event in a chunk; a partial event would be invalid. */
function findLastEventEnd(before: Buffer, chunk: Buffer): number {
  const bytes = Buffer.concat([before, chunk]);
  const lf = bytes.lastIndexOf('\n\n') + 2;
  const crlf = bytes.lastIndexOf('\n\r\n') + 3;
  return Math.max(lf, crlf) - before.length;
}

function observeWholeReply(wire: WireFormat, encoding: string): ReplyObserver {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    readChunk(chunk) {
      length += chunk.length;
      if (length <= maxReplyBytes) chunks.push(chunk);
      return null;
    },
    async end() {
      if (length > maxReplyBytes) return null;
      try {
        const text = (await decompressBody(Buffer.concat(chunks), encoding)).toString('utf8');
        const body = toJsonFields(JSON.parse(text) as Json);
        return body === null ? null : wire.parseReply(body);
      } catch {
        return null;
      }
    },
  };
}

async function decompressBody(bytes: Buffer, encoding: string): Promise<Buffer> {
  const options = { maxOutputLength: maxReplyBytes };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return promisify<Buffer, object, Buffer>(unzip)(bytes, options);
    case 'br':
      return promisify<Buffer, object, Buffer>(brotliDecompress)(bytes, options);
    case 'zstd':
      return promisify<Buffer, object, Buffer>(zstdDecompress)(bytes, options);
    default:
      return bytes;
  }
}
