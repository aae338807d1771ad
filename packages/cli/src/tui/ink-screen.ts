import { Box, Static, Text, useInput, usePaste } from 'ink';
import { createElement, Fragment, type ReactElement } from 'react';
import { keysOf } from './ink-keys.ts';
import type { Key } from './keys.ts';

export type InkScreenProps = {
  /** Painted rows of the live part; all of the screen. */
  readonly rows: readonly string[];
  /** Rows that are written above it, once. */
  readonly above: readonly string[];
  /** Another number begins a new list of rows above, so that the old one need not be kept. */
  readonly generation: number;
  readonly onKey: (key: Key) => void;
};

/** All that Ink has to do with the view: rows out, keys in. */
export function InkScreen({ rows, above, generation, onKey }: InkScreenProps): ReactElement {
  useInput((input, inkKey) => {
    for (const key of keysOf(input, inkKey)) onKey(key);
  });
  usePaste((text) => onKey({ name: 'text', text }));
  return createElement(
    Fragment,
    null,
    createElement(Static<string>, { key: generation, items: [...above], children: row }),
    createElement(Box, { flexDirection: 'column' }, rows.map(row)),
  );
}

/** Ink gives an empty text no row at all. */
function row(text: string, index: number): ReactElement {
  return createElement(Text, { key: index, wrap: 'truncate' }, text === '' ? ' ' : text);
}
