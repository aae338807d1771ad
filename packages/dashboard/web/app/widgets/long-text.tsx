import { useState } from 'react';
import { escapeUnsafeText } from '../safe-text.ts';

const longTextLengthMax = 3_000;
const longTextLinesMax = 30;

/** Shows text as plain text; long text is truncated until the user expands it. */
export function LongText({
  text,
  lines = longTextLinesMax,
  characters = longTextLengthMax,
  mono = false,
}: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const cut = truncateLongText(text, lines, characters);
  const isCut = cut.length < text.length;
  return (
    <div className={mono ? 'long-text mono' : 'long-text'}>
      <div className="long-text-body">{escapeUnsafeText(isWhole ? text : cut)}</div>
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
  /** Number of lines and characters shown before expansion. */
  readonly lines?: number;
  readonly characters?: number;
  readonly mono?: boolean;
};

function truncateLongText(text: string, lines: number, characters: number): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const byLines = end === -1 ? text : text.slice(0, end);
  return byLines.length > characters ? byLines.slice(0, characters) : byLines;
}
