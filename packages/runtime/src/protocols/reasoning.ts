/** A reply split into the reasoning block that some models put first, and the rest. */
export type ReasoningSplit = { readonly think: string | null; readonly rest: string };

/** Drafts inside a reasoning block must not be executed. A block that is never closed is treated as text. */
export function splitReasoning(text: string): ReasoningSplit {
  const [opening, name] = /^\s*<(think|thinking)>/i.exec(text.slice(0, reasoningTagMax)) ?? [];
  if (opening === undefined || name === undefined) return { think: null, rest: text };
  const closing = new RegExp(`</${name}>`, 'i').exec(text);
  if (closing === null) return { think: null, rest: text };
  const think = text.slice(opening.length, closing.index).trim();
  return { think: think === '' ? null : think, rest: text.slice(closing.index + closing[0].length) };
}

const reasoningTagMax = 1_000;

/** Joins two notes. */
export function joinReasoning(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  return `${first}\n${second}`;
}
