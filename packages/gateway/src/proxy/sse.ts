import type { Json } from '@pawl/governor';
import { toJsonFields, type JsonFields } from '../json-fields.ts';

/** Maximum event length; a longer event passes unread. */
const maxSseEventBytes = 8 * 1024 * 1024;

/** Parses a stream of server-sent events incrementally. */
export class SseEventReader {
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
