import { render } from 'ink';
import { createElement } from 'react';
import type { CommandIo } from '../command-io.ts';
import { InkScreen } from './ink-screen.ts';
import type { KeyPress } from './handle-key.ts';
import type { ScreenSize } from './screen-model.ts';

/** A terminal in full-screen mode. */
export type TerminalScreen = {
  draw(rows: readonly string[]): void;
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
  const ink = render(element([]), {
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
  const resized = (): void => {
    // After a resize the old rows may be wrapped or cut off, so redraw everything.
    ink.clear();
    screen.write('\x1b[H\x1b[J');
    onResize(getTerminalSize(io));
  };
  // Ink redraws on resize, so this listener must run first.
  screen.prependListener('resize', resized);
  return {
    draw: (rows) => ink.rerender(element(rows)),
    async close() {
      screen.off('resize', resized);
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}

/** Returns the terminal size; 80 by 24 if the terminal does not report it. */
export function getTerminalSize({ stderr }: CommandIo): ScreenSize {
  const { columns = 0, rows = 0 } = stderr as Partial<ScreenSize>;
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
