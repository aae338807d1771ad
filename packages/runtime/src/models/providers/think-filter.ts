/** Removes reasoning blocks from streamed text. */
export type ThinkFilter = {
  /** Returns the text to display after this chunk; may be empty. */
  push(piece: string): string;
};

const thinkTags = ['<think>', '<thinking>'] as const;

/** Limits how much leading whitespace is buffered before a block. */
const undecidedMax = 1_000;

/**
 * Models on local servers write their reasoning into the text, in a leading block. The filter hides it from display;
 * the complete reply is parsed again later, so that an unclosed block is not lost.
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
      const opening = thinkTags.find((each) => start.startsWith(each));
      if (opening === undefined) {
        const mayBe = held.length < undecidedMax && thinkTags.some((each) => each.startsWith(start));
        if (mayBe) return '';
        return letThrough(held);
      }
      state = 'inside';
      closing = `</${opening.slice(1)}`;
    }
    const end = held.toLowerCase().indexOf(closing);
    if (end !== -1) return letThrough(held.slice(end + closing.length).trimStart());
    // Only the end of the buffered text can be the start of the closing tag.
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
