import { useState } from 'react';
import { visible } from '../visible.ts';

const charactersMax = 3_000;
const linesMax = 30;

/** Text as it came, and never as anything else; long ones are cut until somebody wants the rest. */
export function LongText({
  text,
  lines = linesMax,
  characters = charactersMax,
  mono = false,
}: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const cut = cutOf(text, lines, characters);
  const isCut = cut.length < text.length;
  return (
    <div className={mono ? 'long-text mono' : 'long-text'}>
      <div className="long-text-body">{visible(isWhole ? text : cut)}</div>
      {isCut && (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </div>
  );
}

type LongTextProps = {
  readonly text: string;
  /** How many lines and characters are shown at first. */
  readonly lines?: number;
  readonly characters?: number;
  readonly mono?: boolean;
};

function cutOf(text: string, lines: number, characters: number): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const byLines = end === -1 ? text : text.slice(0, end);
  return byLines.length > characters ? byLines.slice(0, characters) : byLines;
}
