/** What is wrong with a text, and on which line if that is known. */
export type SyntaxProblem = { readonly problem: string; readonly line: number | null };

/** Why a text is not JSON, or null if it is. */
export function jsonProblemOf(text: string): SyntaxProblem | null {
  const message = complaint(text);
  if (message === null) return null;
  const at = positionIn(message) ?? breakingPoint(text);
  return { problem: `this is not JSON: ${message}`, line: text.slice(0, at).split('\n').length };
}

function complaint(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
  }
}

function positionIn(message: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

/**
 * Some complaints do not say where. Up to there, though, all that is wrong with the text is that it breaks off, so the
 * place can be found by halving.
 */
function breakingPoint(text: string): number {
  let sound = 0;
  let broken = text.length;
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    if (isSound(text.slice(0, middle))) sound = middle;
    else broken = middle;
  }
  return sound;
}

function isSound(beginning: string): boolean {
  const message = complaint(beginning);
  if (message === null || message.includes('end of JSON')) return true;
  return (positionIn(message) ?? 0) >= beginning.length;
}
