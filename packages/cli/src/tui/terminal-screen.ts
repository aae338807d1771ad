import { render, Box, Text, useInput, usePaste, type Instance, type Key as InkKey } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { CommandIo } from '../output/command-io.ts';
import type { KeyPress, NamedKey } from './handle-key.ts';
import type { ScreenSize } from './screen-model.ts';
import { format } from 'node:util';

/** A terminal in full-screen mode. */
export type TerminalScreen = {
  draw(rows: readonly string[]): void;
  /** Leaves the terminal to another program while `run` runs. */
  suspend(run: () => void): Promise<void>;
  /** Restores the previous terminal contents. */
  close(): Promise<void>;
};

export type TerminalScreenOptions = {
  readonly io: CommandIo;
  readonly framesPerSecond: number;
  readonly onKey: (key: KeyPress) => void;
  readonly onResize: (size: ScreenSize) => void;
};

/** Takes over the terminal on standard error; standard output stays free for answers. */
export function openTerminalScreen({
  io,
  framesPerSecond,
  onKey,
  onResize,
}: TerminalScreenOptions): TerminalScreen {
  const { stdin, stderr: screen } = io;
  const element = (rows: readonly string[]): ReturnType<typeof createElement> =>
    createElement(InkScreen, { rows, onKey });
  const start = (rows: readonly string[]): Instance =>
    render(element(rows), {
      stdin,
      stdout: screen,
      stderr: screen,
      alternateScreen: true,
      // The caller has already checked for a terminal; in CI, Ink would assume there is none.
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: framesPerSecond,
      incrementalRendering: true,
    });
  let shownRows: readonly string[] = [];
  let ink = start(shownRows);
  let isSuspended = false;
  const stop = async (): Promise<void> => {
    ink.unmount();
    await ink.waitUntilExit();
  };
  const resized = (): void => {
    if (isSuspended) return;
    // After a resize the old rows may be wrapped or cut off, so redraw everything.
    ink.clear();
    screen.write('\x1b[H\x1b[J');
    onResize(getTerminalSize(io));
  };
  // Ink redraws on resize, so this listener must run first.
  screen.prependListener('resize', resized);
  return {
    draw(rows) {
      shownRows = rows;
      if (!isSuspended) ink.rerender(element(rows));
    },
    async suspend(run) {
      isSuspended = true;
      await stop();
      try {
        run();
      } finally {
        isSuspended = false;
        ink = start(shownRows);
        onResize(getTerminalSize(io));
      }
    },
    async close() {
      screen.off('resize', resized);
      await stop();
    },
  };
}

/** Returns the terminal size; 80 by 24 if the terminal does not report it. */
export function getTerminalSize({ stderr }: CommandIo): ScreenSize {
  const { columns = 0, rows = 0 } = stderr as Partial<ScreenSize>;
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}

type InkScreenProps = {
  /** The painted rows of the whole screen. */
  readonly rows: readonly string[];
  readonly onKey: (key: KeyPress) => void;
};

/** The only Ink component: rows out, keys in. */
function InkScreen({ rows, onKey }: InkScreenProps): ReactElement {
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

/** Converts Ink key events to the view's keys; empty for unused keys. */
export function parseInkKey(input: string, key: InkKey): readonly KeyPress[] {
  if (key.eventType === 'release') return [];
  if (key.tab) return [{ name: key.shift ? 'back-tab' : 'tab' }];
  if (key.return && (key.meta || key.shift)) return [{ name: 'newline' }];
  const named = inkKeyNames.find(([flag]) => key[flag]);
  if (named !== undefined) return [{ name: getModifiedName(named[1], key) }];
  if (key.ctrl || key.meta)
    return /^[a-z]$/.test(input) ? [{ name: key.ctrl ? 'ctrl' : 'alt', letter: input }] : [];
  return splitTypedKeys(input);
}

function getModifiedName(name: NamedKey, { ctrl, meta }: InkKey): NamedKey {
  if (!ctrl && !meta) return name;
  if (name === 'left') return 'word-left';
  return name === 'right' ? 'word-right' : name;
}

/** Fast typing can deliver several keys in one event. */
function splitTypedKeys(input: string): readonly KeyPress[] {
  return input.split(keySeparator).flatMap((part): readonly KeyPress[] => {
    if (part === '') return [];
    const name = Object.hasOwn(controlKeys, part) ? controlKeys[part] : undefined;
    return name === undefined ? [{ name: 'text', text: part }] : [{ name }];
  });
}

type InkKeyFlag = Exclude<keyof InkKey, 'eventType'>;

// oxlint-disable-next-line no-control-regex
const keySeparator = /([\r\n\t\u007f])/u;

const controlKeys: { readonly [control: string]: NamedKey } = {
  '\r': 'enter',
  // Ctrl-J.
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
};

const inkKeyNames: readonly (readonly [InkKeyFlag, NamedKey])[] = [
  ['return', 'enter'],
  ['escape', 'escape'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const;

/**
 * Redirects console output and Node warnings to `onText` while a view owns the terminal, because they would overwrite it.
 * The returned function restores everything.
 */
export function captureOutput(onText: (text: string) => void): () => void {
  const originals = consoleMethods.map((method) => [method, console[method]] as const);
  for (const method of consoleMethods) console[method] = (...args: unknown[]) => onText(format(...args));
  const listeners = process.listeners('warning');
  const onWarning = (warning: Error): void => onText(warning.message);
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  return () => {
    for (const [method, original] of originals) console[method] = original;
    process.off('warning', onWarning);
    for (const listener of listeners) process.on('warning', listener);
  };
}
