import { Box, Text, useInput, usePaste } from 'ink';
import { createElement, type ReactElement } from 'react';
import { keysOf } from './ink-keys.ts';
import type { Key } from './keys.ts';

export type InkScreenProps = {
  /** Painted rows, all of the screen. */
  readonly rows: readonly string[];
  readonly onKey: (key: Key) => void;
};

/** All that Ink has to do with the view: rows out, keys in. */
export function InkScreen({ rows, onKey }: InkScreenProps): ReactElement {
  useInput((input, inkKey) => {
    for (const key of keysOf(input, inkKey)) onKey(key);
  });
  usePaste((text) => onKey({ name: 'text', text }));
  return createElement(Box, { flexDirection: 'column' }, rows.map(rowElement));
}

/** Ink gives an empty text no row at all. */
function rowElement(text: string, index: number): ReactElement {
  return createElement(Text, { key: index, wrap: 'truncate' }, text === '' ? ' ' : text);
}
