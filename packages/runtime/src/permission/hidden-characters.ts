/*
 * Characters that move the cursor, change the reading direction, are invisible or imitate a space are spelled out, so
 * that the user approves exactly the text shown.
 */
const hiddenPattern = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}⟨⟩]|(?! )\p{Zs}/u;
const hiddenGlobalPattern = new RegExp(hiddenPattern.source, 'gu');

/** Replaces every deceptive character with its code point in angle brackets, which are themselves escaped: ⟨U+001B⟩. */
export function revealHiddenCharacters(text: string): string {
  return text.replaceAll(hiddenGlobalPattern, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

export function hasHiddenCharacters(text: string): boolean {
  return hiddenPattern.test(text);
}
