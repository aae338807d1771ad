/** One call of a program to the system, as strace tells it with `-f -y -xx`. */
export type SystemCall = {
  readonly name: string;
  readonly given: readonly string[];
  readonly result: string;
};

/** Calls in the order in which they ended. Where another thread comes in between, strace tells of a call in two lines. */
export async function* parseTraceCalls(
  lines: AsyncIterable<string>,
): AsyncGenerator<SystemCall, void, undefined> {
  const unfinished = new Map<string, string>();
  for await (const line of lines) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const call = parseTraceCall(end === undefined ? rest : `${unfinished.get(thread) ?? ''}${end}`);
    if (call !== null) yield call;
  }
}

/** Signals and the ends of threads are not calls: null. */
function parseTraceCall(line: string): SystemCall | null {
  const [begin, end] = [line.indexOf('('), line.lastIndexOf(' = ')];
  if (begin < 1 || end < 0) return null;
  // No text has a comma or a bracket in it, since all of it is written in hexadecimal numbers.
  const given = line.slice(begin + 1, line.lastIndexOf(')', end)).split(', ');
  return { name: line.slice(0, begin), given, result: line.slice(end + ' = '.length) };
}

export function hasCallFailed({ result }: SystemCall): boolean {
  return result.startsWith('-1') || result.startsWith('?');
}

/** A text is "\x61\x62". */
export function parseTracedBytes(argument = ''): Buffer {
  if (!/^".*"$/.test(argument)) throw new Error(`not a whole text: ${argument.slice(0, 100)}`);
  return Buffer.from(argument.slice(1, -1).replaceAll('\\x', ''), 'hex');
}

/** A handle is 21<\x61\x62>, with the path that it has at this moment. */
export function parseTracedHandle(argument = ''): { readonly number: string; readonly path: string } {
  const [begin, end] = [argument.indexOf('<'), argument.lastIndexOf('>')];
  const path = Buffer.from(argument.slice(begin + 1, end).replaceAll('\\x', ''), 'hex').toString('utf8');
  return { number: argument.slice(0, begin), path };
}
