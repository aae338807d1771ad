/** One server-sent event. `id` is null if the message has none. */
export type ReceivedStreamMessage = {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
};

/** Larger than any message the server sends; guards against a line that never ends. */
const pendingTextMax = 64 * 1024 * 1024;

/** Parses a server-sent event stream incrementally, whatever the chunk boundaries. */
export class EventStreamReader {
  #pending = '';
  #event = '';
  #data: string[] = [];
  #id: string | null = null;

  /** Returns the messages that this chunk completes. */
  read(chunk: string): readonly ReceivedStreamMessage[] {
    const messages: ReceivedStreamMessage[] = [];
    const text = this.#pending + chunk;
    let from = 0;
    for (;;) {
      const end = findLineEnd(text, from);
      if (end === null) break;
      this.#readLine(text.slice(from, end.at), messages);
      from = end.next;
    }
    this.#pending = text.slice(from);
    if (this.#pending.length > pendingTextMax)
      throw new RangeError('A line of the event stream exceeds the maximum length.');
    return messages;
  }

  #readLine(line: string, messages: ReceivedStreamMessage[]): void {
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

/** A line ends in \n, \r\n or \r. A \r at the end of a chunk is ambiguous until the next chunk arrives. */
function findLineEnd(text: string, from: number): { readonly at: number; readonly next: number } | null {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return null;
    return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return null;
}
