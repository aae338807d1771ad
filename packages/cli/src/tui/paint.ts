import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Line, Style } from './line.ts';

type Format = Parameters<typeof styleText>[0];

const formats: { readonly [Name in Exclude<Style, 'plain'>]: Format } = {
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
};

/** Turns lines into text for one stream, with colours where it takes them and nobody has asked for none. */
export function painterFor(stream: Writable): (line: Line) => string {
  const takesColours = styleText('dim', 'x', { stream }) !== 'x';
  return (line) =>
    line
      .map(({ text, style }) => (takesColours && style !== 'plain' ? coloured(text, style) : text))
      .join('');
}

function coloured(text: string, style: Exclude<Style, 'plain'>): string {
  return styleText(formats[style], text, { validateStream: false });
}
