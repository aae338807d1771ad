import { render } from 'ink';
import { createElement } from 'react';
import type { Io } from '../io.ts';
import { InkScreen } from './ink-screen.ts';
import type { Key } from './keys.ts';
import type { Size } from './screen.ts';

/** A terminal that is drawn on as a whole. */
export type DrawnScreen = {
  draw(rows: readonly string[]): void;
  /** Puts back what was on the terminal before. */
  close(): Promise<void>;
};

export type DrawnScreenOptions = {
  readonly io: Io;
  readonly framesPerSecond: number;
  readonly onKey: (key: Key) => void;
  readonly onResize: (size: Size) => void;
};

/** Takes over the terminal at standard error; standard output is left to answers. */
export function openDrawnScreen({ io, framesPerSecond, onKey, onResize }: DrawnScreenOptions): DrawnScreen {
  const { stdin, stderr: screen } = io;
  const element = (rows: readonly string[]): ReturnType<typeof createElement> =>
    createElement(InkScreen, { rows, onKey });
  const ink = render(element([]), {
    stdin,
    stdout: screen,
    stderr: screen,
    alternateScreen: true,
    // A terminal was looked for already; in automatic builds Ink would not believe it.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: framesPerSecond,
    incrementalRendering: true,
  });
  const resized = (): void => {
    // The old rows may be broken or cut off by now; nothing of them is to be relied on.
    ink.clear();
    screen.write('\x1b[H\x1b[J');
    onResize(sizeOf(io));
  };
  // Ink draws when it hears of the new size, so this has to come first.
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

/** What a terminal says of itself; a usual size where it says nothing. */
export function sizeOf({ stderr }: Io): Size {
  const { columns = 0, rows = 0 } = stderr as Partial<Size>;
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
