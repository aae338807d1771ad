/** A location in a chart: keys and item indexes. */
export type ChartPath = readonly (string | number)[];

/** An invalid chart. The message is one line: where, what was expected, and what was found. */
export class ChartError extends TypeError {
  override readonly name = 'ChartError';
  readonly path: ChartPath;

  constructor(path: ChartPath, problem: string) {
    super(`${path.length === 0 ? 'The chart' : `The chart, at ${formatChartPath(path)}`}: ${problem}`);
    this.path = path;
  }
}

/** Formats a path for a message, such as `states[2].next`. */
export function formatChartPath(path: ChartPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** Quotes input text for a message: on one line and truncated. */
export function quoteText(text: string): string {
  return JSON.stringify(clipText(text));
}

const quotedTextMax = 80;

export function clipText(text: string, max: number = quotedTextMax): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
