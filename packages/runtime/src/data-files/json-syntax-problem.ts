/** A syntax error, with its line if known. */
export type SyntaxProblem = { readonly problem: string; readonly line: number | null };

/** Returns the syntax error of a JSON text, or null if it is valid. */
export function findJsonSyntaxProblem(text: string): SyntaxProblem | null {
  const message = getParseErrorMessage(text);
  if (message === null) return null;
  const at = findErrorPosition(message) ?? findBreakingPoint(text);
  return { problem: `invalid JSON: ${message}`, line: text.slice(0, at).split('\n').length };
}

function getParseErrorMessage(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
  }
}

function findErrorPosition(message: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

/**
 * Finds the position of a syntax error by binary search, for messages without a position: every prefix before the error
 * is merely incomplete.
 */
function findBreakingPoint(text: string): number {
  let validEnd = 0;
  let brokenEnd = text.length;
  while (brokenEnd - validEnd > 1) {
    const middle = Math.floor((validEnd + brokenEnd) / 2);
    if (isValidPrefix(text.slice(0, middle))) validEnd = middle;
    else brokenEnd = middle;
  }
  return validEnd;
}

function isValidPrefix(prefix: string): boolean {
  const message = getParseErrorMessage(prefix);
  if (message === null || message.includes('end of JSON')) return true;
  return (findErrorPosition(message) ?? 0) >= prefix.length;
}
