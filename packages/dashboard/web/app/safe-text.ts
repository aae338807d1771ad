/*
 * Text from models, tools and files is only put into text nodes, so none of it executes. Characters that could still
 * deceive a reader (control characters, bidirectional overrides) are escaped, as in the terminal.
 */
const unsafeCharacterPattern =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export function escapeUnsafeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unsafeCharacterPattern, escapeUnsafeCharacter);
}

/** Returns the safe text on one line, truncated to a maximum length. */
export function toSafeLine(text: string, charactersMax = 300): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  const lines = escapeUnsafeText(cut).split('\n');
  return lines
    .map((line) => line.trim())
    .join(' ⏎ ')
    .replaceAll('\t', ' ');
}

function escapeUnsafeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
