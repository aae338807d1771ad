/** A reply without the block of reasoning that some models put in front of it, and what the block says. */
export type Parted = { readonly think: string | null; readonly rest: string };

/** Drafts inside such a block are not meant to be carried out. A block that is never closed is no block. */
export function withoutReasoning(text: string): Parted {
  const [opening, name] = /^\s*<(think|thinking)>/i.exec(text.slice(0, openingMax)) ?? [];
  if (opening === undefined || name === undefined) return { think: null, rest: text };
  const closing = new RegExp(`</${name}>`, 'i').exec(text);
  if (closing === null) return { think: null, rest: text };
  const think = text.slice(opening.length, closing.index).trim();
  return { think: think === '' ? null : think, rest: text.slice(closing.index + closing[0].length) };
}

const openingMax = 1_000;

/** Two notes as one. */
export function joined(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  return `${first}\n${second}`;
}
