/** Where in a chart something is: keys and the numbers of items. */
export type ChartPath = readonly (string | number)[];

/** A chart that cannot be used. The message is one line: where, what was expected, what came. */
export class ChartError extends TypeError {
  override readonly name = 'ChartError';
  readonly path: ChartPath;

  constructor(path: ChartPath, problem: string) {
    super(`${path.length === 0 ? 'The chart' : `The chart, at ${written(path)}`}: ${problem}`);
    this.path = path;
  }
}

/** `states[2].next`, for a message. */
export function written(path: ChartPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** Somebody's text as part of a message: in quotes, on one line, not for ever. */
export function quoted(text: string): string {
  return JSON.stringify(clip(text));
}

const shownMax = 80;

export function clip(text: string, max: number = shownMax): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
