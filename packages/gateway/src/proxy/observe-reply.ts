import { promisify } from 'node:util';
import { brotliDecompress, unzip, zstdDecompress } from 'node:zlib';
import { RepetitionDetector, type Json } from '@pawl/governor';
import { toJsonFields, type JsonFields } from '../json-fields.ts';
import type { ObservedReply, StreamFraming, WireFormat } from './wire-format.ts';

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

export type ReplyEncoding = {
  readonly type: string;
  readonly encoding: string;
  /** Whether the request asked for a stream. */
  readonly isStream: boolean;
};

/** Maximum size of a non-streamed reply that is buffered for reading. */
const maxReplyBytes = 16 * 1024 * 1024;

export function observeReply(wire: WireFormat, { type, encoding, isStream }: ReplyEncoding): ReplyObserver {
  const isJsonArray = isStream && wire.streamsJsonArrays && /^application\/json\b/i.test(type);
  const isEventStream = /^text\/event-stream\b/i.test(type);
  if (!isEventStream && !isJsonArray) return observeWholeReply(wire, encoding);
  if (encoding !== '' && encoding !== 'identity') return noopReplyObserver;
  return observeStream(wire, isEventStream ? new SseEventReader() : new JsonArrayReader());
}

/** A stream that is compressed although we did not accept compression is forwarded unread. */
const noopReplyObserver: ReplyObserver = { readChunk: () => null, end: () => Promise.resolve(null) };

/** Splits a stream into its events. */
type StreamEventReader = {
  readonly framing: StreamFraming;
  /** Yields the JSON objects of the events that end in this chunk. */
  read(chunk: Uint8Array): Iterable<JsonFields>;
  /** Returns the end of the last complete event of the last chunk; a partial event would be invalid. */
  getLastEventEnd(): number;
};

function observeStream(wire: WireFormat, events: StreamEventReader): ReplyObserver {
  const reader = wire.createReader();
  const repetition = new RepetitionDetector();
  return {
    readChunk(chunk) {
      for (const event of events.read(chunk)) {
        const text = reader.read(event);
        if (text === '' || repetition.addText(text) === null) continue;
        return { passBytes: events.getLastEventEnd(), ending: reader.formatEnding(events.framing) };
      }
      return null;
    },
    end: () => Promise.resolve(reader.getReply()),
  };
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
class SseEventReader implements StreamEventReader {
  readonly framing = 'sse';
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  #length = 0;
  /** The end of the previous chunks, because an event separator may arrive in parts. */
  #tail = Buffer.alloc(0);
  #chunk: Uint8Array = Buffer.alloc(0);

  *read(chunk: Uint8Array): Generator<JsonFields> {
    this.#tail = Buffer.concat([this.#tail, this.#chunk.subarray(-maxEventBreakBytes)]).subarray(
      -maxEventBreakBytes,
    );
    this.#chunk = chunk;
    const pieces = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) yield* this.#endLine();
      if (this.#length <= maxSseEventBytes) this.#line += piece;
      this.#length += piece.length;
    }
  }

  getLastEventEnd(): number {
    const bytes = Buffer.concat([this.#tail, this.#chunk]);
    const lf = bytes.lastIndexOf('\n\n') + 2;
    const crlf = bytes.lastIndexOf('\n\r\n') + 3;
    return Math.max(lf, crlf) - this.#tail.length;
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

/** The longest event separator. */
const maxEventBreakBytes = 3;

function parseSseData(text: string): JsonFields | null {
  // The end-of-stream marker is not JSON.
  if (!text.startsWith('{')) return null;
  try {
    return toJsonFields(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

/** The bytes that structure JSON. They never occur inside a character of several bytes. */
const jsonBytes = { quote: 0x22, backslash: 0x5c, open: 0x7b, close: 0x7d } as const;

/** Parses a stream that is an array of JSON objects incrementally. */
class JsonArrayReader implements StreamEventReader {
  readonly framing = 'json-array';
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #end = 0;

  *read(chunk: Uint8Array): Generator<JsonFields> {
    let start = 0;
    for (const [index, byte] of chunk.entries()) {
      const before = this.#depth;
      this.#readByte(byte);
      if (before === 0 && this.#depth === 1) start = index;
      if (before !== 1 || this.#depth !== 0) continue;
      this.#addPiece(chunk.subarray(start, index + 1));
      this.#end = index + 1;
      const event = this.#takeEvent();
      if (event !== null) yield event;
    }
    if (this.#depth > 0) this.#addPiece(chunk.subarray(start));
  }

  getLastEventEnd(): number {
    return this.#end;
  }

  #readByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isString && byte === jsonBytes.backslash) this.#isEscaped = true;
    else if (byte === jsonBytes.quote) this.#isString = !this.#isString;
    else if (!this.#isString && byte === jsonBytes.open) this.#depth += 1;
    else if (!this.#isString && byte === jsonBytes.close) this.#depth = Math.max(0, this.#depth - 1);
  }

  #addPiece(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length <= maxSseEventBytes) this.#pieces.push(piece);
  }

  #takeEvent(): JsonFields | null {
    const text = this.#length > maxSseEventBytes ? '' : Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#length = 0;
    return parseSseData(text);
  }
}
