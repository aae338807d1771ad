/*
 * What a person approves must be what they see: characters that move the cursor, turn the reading direction round, take no
 * room, or look like a space without being one are spelled out.
 */
const hidden = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}⟨⟩]|(?! )\p{Zs}/u;
const hiddenEverywhere = new RegExp(hidden.source, 'gu');

/** Every character that could deceive as its number, in angle brackets that nothing else can write: ⟨U+001B⟩. */
export function visible(text: string): string {
  return text.replaceAll(hiddenEverywhere, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

export function hasHidden(text: string): boolean {
  return hidden.test(text);
}
