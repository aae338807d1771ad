/** One message of a server-sent event stream. `id` is null where it has none of its own. */
export type StreamMessage = { readonly event: string; readonly data: string; readonly id: string | null };

/** Longer than any message the server sends; a line that never ends is not kept. */
const pendingMax = 64 * 1024 * 1024;

/** Reads a stream piece by piece, however it was cut. */
export class EventStreamReader {
  #pending = '';
  #event = '';
  #data: string[] = [];
  #id: string | null = null;

  /** The messages that are complete with this piece. */
  read(piece: string): readonly StreamMessage[] {
    const messages: StreamMessage[] = [];
    const text = this.#pending + piece;
    let from = 0;
    for (;;) {
      const end = endOfLine(text, from);
      if (end === null) break;
      this.#line(text.slice(from, end.at), messages);
      from = end.next;
    }
    this.#pending = text.slice(from);
    if (this.#pending.length > pendingMax) throw new RangeError('A line of the event stream does not end.');
    return messages;
  }

  #line(line: string, messages: StreamMessage[]): void {
    if (line === '') {
      if (this.#data.length > 0) {
        const event = this.#event === '' ? 'message' : this.#event;
        messages.push({ event, data: this.#data.join('\n'), id: this.#id });
      }
      this.#event = '';
      this.#data = [];
      this.#id = null;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /u, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
  }
}

/** A line ends in \n, \r\n or \r; after a \r at the very end of a piece nobody knows yet. */
function endOfLine(text: string, from: number): { readonly at: number; readonly next: number } | null {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return null;
    return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return null;
}
