import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { StyledLine, TextStyle } from './styled-line.ts';

type StyleFormat = Parameters<typeof styleText>[0];

const styleFormats: { readonly [Name in Exclude<TextStyle, 'plain'>]: StyleFormat } = {
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
};

/** Creates a painter for one stream, with colors if the stream supports them and the user has not disabled them. */
export function createPainter(stream: Writable): (line: StyledLine) => string {
  const supportsColor = styleText('dim', 'x', { stream }) !== 'x';
  return (line) =>
    line
      .map(({ text, style }) => (supportsColor && style !== 'plain' ? colorText(text, style) : text))
      .join('');
}

function colorText(text: string, style: Exclude<TextStyle, 'plain'>): string {
  return styleText(styleFormats[style], text, { validateStream: false });
}
