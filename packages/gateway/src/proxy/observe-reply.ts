import { promisify } from 'node:util';
import { brotliDecompress, unzip, zstdDecompress } from 'node:zlib';
import { RepetitionDetector, type Json } from '@pawl/governor';
import { toJsonFields, type JsonFields } from '../json-fields.ts';
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

/** Maximum event length; a longer event passes unread. */
const maxSseEventBytes = 8 * 1024 * 1024;

/** Parses a stream of server-sent events incrementally. */
class SseEventReader {
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  #length = 0;

  /** Yields the JSON objects of the events that end in this chunk. */
  *read(chunk: Uint8Array): Generator<JsonFields> {
    const pieces = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) yield* this.#endLine();
      if (this.#length <= maxSseEventBytes) this.#line += piece;
      this.#length += piece.length;
    }
  }

  *#endLine(): Generator<JsonFields> {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    if (line.startsWith('data:')) this.#data.push(line.slice('data:'.length).trimStart());
    if (line !== '') return;
    const text = this.#length > maxSseEventBytes ? '' : this.#data.join('\n');
    this.#data = [];
    this.#length = 0;
    const event = parseSseData(text);
    if (event !== null) yield event;
  }
}

function parseSseData(text: string): JsonFields | null {
  // The end-of-stream marker is not JSON.
  if (!text.startsWith('{')) return null;
  try {
    return toJsonFields(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
