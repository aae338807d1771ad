/*
 * Text of models, tools and files is only ever put into text nodes, so nothing of it is run. What still could deceive a
 * reader (control characters, marks that turn the reading direction round) is spelled out, as it is in the terminal.
 */
const unsafe =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unsafe, escaped);
}

/** The same on one line, and no longer than a line can be. */
export function visibleLine(text: string, charactersMax = 300): string {
  const cut = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
  const lines = visible(cut).split('\n');
  return lines
    .map((line) => line.trim())
    .join(' ⏎ ')
    .replaceAll('\t', ' ');
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
