/** Removes reasoning blocks from streamed text. */
export type ThinkFilter = {
  /** Returns the text to display after this chunk; may be empty. */
  push(chunk: string): string;
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
  let buffer = '';
  let closing = '';
  const push = (chunk: string): string => {
    if (state === 'through') return chunk;
    buffer += chunk;
    if (state === 'undecided') {
      const start = buffer.trimStart().toLowerCase();
      const opening = thinkTags.find((each) => start.startsWith(each));
      if (opening === undefined) {
        const isPartialTag = buffer.length < undecidedMax && thinkTags.some((each) => each.startsWith(start));
        if (isPartialTag) return '';
        return passThrough(buffer);
      }
      state = 'inside';
      closing = `</${opening.slice(1)}`;
    }
    const end = buffer.toLowerCase().indexOf(closing);
    if (end !== -1) return passThrough(buffer.slice(end + closing.length).trimStart());
    // Only the end of the buffered text can be the start of the closing tag.
    buffer = buffer.slice(-closing.length);
    return '';
  };
  const passThrough = (text: string): string => {
    state = 'through';
    buffer = '';
    return text;
  };
  return { push };
}
