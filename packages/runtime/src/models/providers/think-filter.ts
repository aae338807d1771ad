/** Lets through what a reply says aloud, piece by piece. */
export type ThinkFilter = {
  /** What can be shown after this piece; may be empty. */
  push(piece: string): string;
};

const openings = ['<think>', '<thinking>'] as const;

/** Longer white space before a block is no longer waited through. */
const undecidedMax = 1_000;

/**
 * Models on local servers write their reasoning into the text, in a block in front. It is not shown; the whole reply is read
 * again when it is complete, so that a block that is never closed is not lost.
 */
export function createThinkFilter(): ThinkFilter {
  let state: 'undecided' | 'inside' | 'through' = 'undecided';
  let held = '';
  let closing = '';
  const push = (piece: string): string => {
    if (state === 'through') return piece;
    held += piece;
    if (state === 'undecided') {
      const start = held.trimStart().toLowerCase();
      const opening = openings.find((each) => start.startsWith(each));
      if (opening === undefined) {
        const mayBe = held.length < undecidedMax && openings.some((each) => each.startsWith(start));
        if (mayBe) return '';
        return letThrough(held);
      }
      state = 'inside';
      closing = `</${opening.slice(1)}`;
    }
    const end = held.toLowerCase().indexOf(closing);
    if (end !== -1) return letThrough(held.slice(end + closing.length).trimStart());
    // Only the end of what was held back can be the beginning of the closing tag.
    held = held.slice(-closing.length);
    return '';
  };
  const letThrough = (text: string): string => {
    state = 'through';
    held = '';
    return text;
  };
  return { push };
}
