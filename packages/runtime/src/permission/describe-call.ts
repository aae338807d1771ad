import type { Json } from '@pawl/core';
import { visible } from './visible.ts';

export type Described = {
  readonly lines: readonly string[];
  /** Lines that are not shown, which must be told; 0 when all are. */
  readonly hidden: number;
};

export type DescribeOptions = {
  /** Columns of the terminal. */
  readonly width?: number;
  /** With more lines than this only both ends are shown. */
  readonly linesMax?: number;
};

type CallToShow = { readonly tool: string; readonly args: Json };

/**
 * A call as a person is to judge it: all of its arguments, each behind its name, nothing cut off at the edge, and nothing in
 * them that could pass for something else.
 */
export function describeCall({ tool, args }: CallToShow, options: DescribeOptions = {}): Described {
  const { width = 80, linesMax = Infinity } = options;
  const room = Math.max(20, width) - bar.length;
  const lines = [visible(tool), ...fieldsOf(args).flatMap(([name, value]) => field(name, value, room))];
  if (lines.length <= linesMax) return { lines, hidden: 0 };
  const half = Math.max(1, Math.floor(linesMax / 2));
  const hidden = lines.length - 2 * half;
  return { lines: [...lines.slice(0, half), `… ${hidden} lines not shown …`, ...lines.slice(-half)], hidden };
}

/** What a value holds stands behind a bar, so that it cannot pass for the name of another value. */
const bar = '  │ ';

function fieldsOf(args: Json): readonly (readonly [string, Json])[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [['arguments', args]];
  return Object.entries(args);
}

function field(name: string, value: Json, room: number): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = squeezeBlankLines(text.split('\n').map(asShown)).flatMap((line) => wrap(line, room));
  return [`${visible(name)}:`, ...lines.map((line) => bar + line)];
}

const blankMax = 3;
const spacesMax = 40;

/** Room that is left empty is a place to hide behind. */
function squeezeBlankLines(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let blank = 0;
  const end = (): void => {
    if (blank > blankMax) kept.push(`⟨${blank} empty lines⟩`);
    else kept.push(...Array<string>(blank).fill(''));
    blank = 0;
  };
  for (const line of lines) {
    if (line.trim() === '') {
      blank += 1;
      continue;
    }
    end();
    kept.push(line);
  }
  end();
  return kept;
}

function asShown(line: string): string {
  const shown = visible(line.replaceAll('\t', '⇥   '));
  return shown.replaceAll(/ +/g, (spaces) =>
    spaces.length > spacesMax ? `⟨${spaces.length} spaces⟩` : spaces,
  );
}

/** By characters, not by words: what is approved is not to look other than it is. */
function wrap(line: string, room: number): readonly string[] {
  const characters = Array.from(line);
  if (characters.length <= room) return [line];
  const rows = Math.ceil(characters.length / (room - 1));
  return Array.from({ length: rows }, (_, row) => {
    const part = characters.slice(row * (room - 1), (row + 1) * (room - 1)).join('');
    return row === rows - 1 ? part : `${part}↩`;
  });
}
