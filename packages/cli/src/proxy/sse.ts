import type { Json } from '@pawl/core';
import { fieldsOf, type Fields } from '../json-fields.ts';

/** The longest event that is looked into; what is longer passes unread. */
const eventMax = 8 * 1024 * 1024;

/** Cuts a stream of server-sent events into what they carry. Fed piece by piece, so a class. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  #line = '';
  #data: string[] = [];
  #length = 0;

  /** The JSON objects of the events that end in this chunk. */
  *read(chunk: Uint8Array): Generator<Fields> {
    const pieces = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) yield* this.#endLine();
      if (this.#length <= eventMax) this.#line += piece;
      this.#length += piece.length;
    }
  }

  *#endLine(): Generator<Fields> {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    if (line.startsWith('data:')) this.#data.push(line.slice('data:'.length).trimStart());
    if (line !== '') return;
    const text = this.#length > eventMax ? '' : this.#data.join('\n');
    this.#data = [];
    this.#length = 0;
    const event = parsed(text);
    if (event !== null) yield event;
  }
}

function parsed(text: string): Fields | null {
  // The end of a stream is told in a word that is no JSON.
  if (!text.startsWith('{')) return null;
  try {
    return fieldsOf(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
