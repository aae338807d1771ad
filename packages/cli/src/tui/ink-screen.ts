import { Box, Text, useInput, usePaste } from 'ink';
import { createElement, type ReactElement } from 'react';
import { parseInkKey } from './ink-keys.ts';
import type { KeyPress } from './handle-key.ts';

export type InkScreenProps = {
  /** The painted rows of the whole screen. */
  readonly rows: readonly string[];
  readonly onKey: (key: KeyPress) => void;
};

/** The only Ink component: rows out, keys in. */
export function InkScreen({ rows, onKey }: InkScreenProps): ReactElement {
  useInput((input, inkKey) => {
    for (const key of parseInkKey(input, inkKey)) onKey(key);
  });
  usePaste((text) => onKey({ name: 'text', text }));
  return createElement(Box, { flexDirection: 'column' }, rows.map(renderRow));
}

/** Ink renders no row for an empty text. */
function renderRow(text: string, index: number): ReactElement {
  return createElement(Text, { key: index, wrap: 'truncate' }, text === '' ? ' ' : text);
}
