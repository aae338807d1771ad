/*
 * What a tool said, reduced to what it means. Two outcomes that differ only in the time of day, a process number or the
 * name of a temporary file are the same outcome; two errors that differ only in a line number or a quoted name are of
 * the same class. Nothing here knows any tool: the patterns are those of clocks, ids and paths in general.
 *
 * Long texts are looked at from both ends, and no pattern here goes back over what it has read, so that the cost is
 * bounded.
 */
const headMax = 4_000;
const tailMax = 1_000;

/** Without clocks, dates, durations, addresses, ids and temporary names. Other numbers stay: they may be the news. */
export function withoutVolatile(text: string): string {
  return bounded(text)
    .replaceAll(
      /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
      '<date>',
    )
    .replaceAll(/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b/g, '<time>')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|sec|secs|seconds|minutes)\b/g, '<duration>')
    .replaceAll(/\b0x[0-9a-f]+\b/gi, '<address>')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>')
    .replaceAll(/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/gi, '<id>')
    .replaceAll(/\bpid[ =:]+\d+/gi, '<pid>')
    .replaceAll(/\/tmp\/[\w.-]+/g, '<temp>')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What kind of error this is: words with digits in them, quoted words and paths are blanked as well. */
export function errorClass(text: string): string {
  return withoutVolatile(text)
    .replaceAll(/(["'`‘“])[^"'`’”]{0,200}(["'`’”])/g, '<quoted>')
    .replaceAll(/[\w@./\\:-]+/g, (word) => (/[/\\]/.test(word) ? '<path>' : word))
    .replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '#' : word))
    .slice(0, 300)
    .toLowerCase();
}

function bounded(text: string): string {
  if (text.length <= headMax + tailMax) return text;
  return `${text.slice(0, headMax)} … ${text.length} … ${text.slice(-tailMax)}`;
}
