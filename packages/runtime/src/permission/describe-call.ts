import type { Json } from '@pawl/core';
import { revealHiddenCharacters } from './shell-words.ts';

export type CallDescription = {
  readonly lines: readonly string[];
  /** Number of lines not shown, which the caller must report; 0 if all are shown. */
  readonly hidden: number;
};

export type DescribeCallOptions = {
  /** Columns of the terminal. */
  readonly width?: number;
  /** Longer descriptions show only both ends. */
  readonly linesMax?: number;
};

type DescribedCall = { readonly tool: string; readonly args: Json };

/**
 * Formats a call for the user's review: all arguments by name, nothing cut off at the edge, and no character that could
 * be mistaken for another.
 */
export function describeCall(
  { tool, args }: DescribedCall,
  options: DescribeCallOptions = {},
): CallDescription {
  const { width = 80, linesMax = Infinity } = options;
  const valueWidth = Math.max(20, width) - valueBar.length;
  const lines = [
    revealHiddenCharacters(tool),
    ...listArgumentFields(args).flatMap(([name, value]) => formatArgumentField(name, value, valueWidth)),
  ];
  if (lines.length <= linesMax) return { lines, hidden: 0 };
  const half = Math.max(1, Math.floor(linesMax / 2));
  const hidden = lines.length - 2 * half;
  return { lines: [...lines.slice(0, half), `… ${hidden} lines not shown …`, ...lines.slice(-half)], hidden };
}

/** Prefixes every value line with a bar, so that a value cannot imitate the name of another argument. */
const valueBar = '  │ ';

function listArgumentFields(args: Json): readonly (readonly [string, Json])[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', args]];
  return Object.entries(args);
}

function formatArgumentField(name: string, value: Json, width: number): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = squeezeBlankLines(text.split('\n').map(revealWhitespace)).flatMap((line) =>
    wrapCharacters(line, width),
  );
  return [`${revealHiddenCharacters(name)}:`, ...lines.map((line) => valueBar + line)];
}

const blankMax = 3;
const spacesMax = 40;

/** Collapses blank lines, because text could be hidden behind empty space. */
function squeezeBlankLines(lines: readonly string[]): readonly string[] {
  const result: string[] = [];
  let blank = 0;
  const end = (): void => {
    if (blank > blankMax) result.push(`⟨${blank} empty lines⟩`);
    else result.push(...Array<string>(blank).fill(''));
    blank = 0;
  };
  for (const line of lines) {
    if (line.trim() === '') {
      blank += 1;
      continue;
    }
    end();
    result.push(line);
  }
  end();
  return result;
}

function revealWhitespace(line: string): string {
  const shown = revealHiddenCharacters(line.replaceAll('\t', '⇥   '));
  return shown.replaceAll(/ +/g, (spaces) =>
    spaces.length > spacesMax ? `⟨${spaces.length} spaces⟩` : spaces,
  );
}

/** Wraps by characters, not by words, so that the text is shown exactly as it is. */
function wrapCharacters(line: string, width: number): readonly string[] {
  const characters = Array.from(line);
  if (characters.length <= width) return [line];
  const rows = Math.ceil(characters.length / (width - 1));
  return Array.from({ length: rows }, (_, row) => {
    const part = characters.slice(row * (width - 1), (row + 1) * (width - 1)).join('');
    return row === rows - 1 ? part : `${part}↩`;
  });
}
