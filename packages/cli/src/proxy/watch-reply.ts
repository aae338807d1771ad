import { promisify } from 'node:util';
import { brotliDecompress, unzip, zstdDecompress } from 'node:zlib';
import { ChantWatch, type Json } from '@pawl/core';
import { fieldsOf } from '../json-fields.ts';
import { EventReader } from './sse.ts';
import type { SeenReply, Wire } from './wire.ts';

/** Looks on while a reply comes by. */
export type ReplyWatch = {
  /**
   * Takes in a chunk. Null lets it pass as it is; otherwise the reply has become a chant: only so many bytes of the chunk are
   * to pass, and `ending` after them.
   */
  hear(chunk: Buffer): { readonly pass: number; readonly ending: string } | null;
  /** The reply, once all of it has come; null where it cannot be read. */
  end(): Promise<SeenReply | null>;
};

export type ReplyForm = { readonly type: string; readonly encoding: string };

/** How much of a reply in one piece is kept to be read. */
const bytesMax = 16 * 1024 * 1024;

export function watchReply(wire: Wire, { type, encoding }: ReplyForm): ReplyWatch {
  const isStream = /^text\/event-stream\b/i.test(type);
  if (isStream) return encoding === '' || encoding === 'identity' ? watchStream(wire) : blind;
  return watchWhole(wire, encoding);
}

/** A stream that somebody compressed although nobody asked for it passes unread. */
const blind: ReplyWatch = { hear: () => null, end: () => Promise.resolve(null) };

function watchStream(wire: Wire): ReplyWatch {
  const events = new EventReader();
  const reader = wire.reader();
  const chants = new ChantWatch();
  let tail = Buffer.alloc(0);
  return {
    hear(chunk) {
      const before = tail;
      tail = Buffer.concat([tail, chunk.subarray(-breakMax)]).subarray(-breakMax);
      for (const event of events.read(chunk)) {
        const text = reader.read(event);
        if (text === '' || chants.hear(text) === null) continue;
        return { pass: afterLastEvent(before, chunk), ending: reader.ending() };
      }
      return null;
    },
    end: () => Promise.resolve(reader.reply()),
  };
}

/** As many bytes as there are in what ends an event, and may have come in parts. */
const breakMax = 3;

/** Where the last event that ends in a chunk ends; one that has only begun would be no event. */
function afterLastEvent(before: Buffer, chunk: Buffer): number {
  const bytes = Buffer.concat([before, chunk]);
  const plain = bytes.lastIndexOf('\n\n') + 2;
  const returned = bytes.lastIndexOf('\n\r\n') + 3;
  return Math.max(plain, returned) - before.length;
}

function watchWhole(wire: Wire, encoding: string): ReplyWatch {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    hear(chunk) {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      return null;
    },
    async end() {
      if (length > bytesMax) return null;
      try {
        const text = (await unpacked(Buffer.concat(chunks), encoding)).toString('utf8');
        const body = fieldsOf(JSON.parse(text) as Json);
        return body === null ? null : wire.replyIn(body);
      } catch {
        return null;
      }
    },
  };
}

async function unpacked(bytes: Buffer, encoding: string): Promise<Buffer> {
  const options = { maxOutputLength: bytesMax };
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
