import type { Writable } from 'node:stream';
import type { Session } from '@pawl/core';
import type { PermissionAnswer, PermissionQuestion, Question, Seen, Trouble } from '@pawl/runtime';
import { render } from 'ink';
import { createElement } from 'react';
import type { Io } from '../io.ts';
import { withoutQuestion, withQuestion } from './ask.ts';
import { catchOutput } from './caught-output.ts';
import { frame } from './frame.ts';
import { InkScreen } from './ink-screen.ts';
import { press, type Command, type Key } from './keys.ts';
import { lineWidth, seg, type Line } from './line.ts';
import { painterFor } from './paint.ts';
import type { Answer, NewQuestion } from './questions.ts';
import { openScreen, resize, see, tick, warn, type About, type ScreenModel, type Size } from './screen.ts';
import { scrollAway } from './scroll-away.ts';

/** What the keys do. Each is asked once for each key; none of them is waited for. */
export type LiveControls = {
  say(text: string): void;
  /** Said while the agent works. */
  steer(text: string): void;
  pause(): void;
  resume(): void;
  finish(): void;
  cancel(): void;
  leave(): void;
};

export type LiveViewOptions = {
  readonly io: Io;
  readonly session: Session;
  readonly folder: string;
  readonly controls: LiveControls;
  readonly id: string;
  readonly mode: About['mode'];
  readonly model: string;
};

export type LiveView = {
  see(seen: Seen): void;
  warn(line: string): void;
  trouble(trouble: Trouble | null): void;
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  askUser(question: Question, signal: AbortSignal): Promise<string | null>;
  /** Gives the terminal back, with what there was to read left on it. */
  close(): Promise<void>;
};

/** Whether there is a terminal to show it on and somebody at it; where there is not, lines are the way. */
export function canShowLive({ stdin, stderr }: Io): boolean {
  return isTerminal(stdin) && isTerminal(stderr) && process.env['TERM'] !== 'dumb';
}

/** So often the view is drawn at most, and so often it is drawn though nothing has happened. */
const frameMs = 50;
const tickMs = 250;

/** Rows above the view that are kept at most before they are let go of. */
const aboveMax = 500;

/** Shows a session while it works, on standard error, and tells the controls what the keys ask for. */
export function openLiveView({ io, session, controls, ...about }: LiveViewOptions): LiveView {
  const screen = io.stderr;
  const paint = painterFor(screen);
  const answers = new Map<number, (answer: Answer | null) => void>();
  let model = openScreen({ about, session, size: sizeOf(screen), now: Date.now() });
  let above: { readonly rows: readonly string[]; readonly generation: number } = { rows: [], generation: 0 };
  let timer: NodeJS.Timeout | null = null;
  let asked = 0;
  let hasLeft = false;

  const element = (lines: readonly Line[]): ReturnType<typeof createElement> =>
    createElement(InkScreen, { rows: lines.map(paint), above: above.rows, generation: above.generation, onKey });
  const addAbove = (lines: readonly Line[]): void => {
    if (lines.length === 0) return;
    const rows = lines.map(paint);
    above =
      above.rows.length > aboveMax
        ? { rows, generation: above.generation + 1 }
        : { ...above, rows: [...above.rows, ...rows] };
  };
  const draw = (): void => {
    timer = null;
    const scrolled = scrollAway(model);
    model = scrolled.model;
    addAbove(scrolled.lines);
    ink.rerender(element(frame(model)));
  };
  const change = (next: ScreenModel): void => {
    model = next;
    timer ??= setTimeout(draw, frameMs);
  };
  const obey = (command: Command): void => {
    if (command.type === 'leave') hasLeft = true;
    if (command.type === 'answer') answers.get(command.number)?.(command.answer);
    else carryOut(controls, command);
  };
  function onKey(key: Key): void {
    const pressed = press(model, key, Date.now());
    change(pressed.model);
    for (const command of pressed.commands) obey(command);
  }
  const question = (what: NewQuestion, signal: AbortSignal): Promise<Answer | null> => {
    const number = (asked += 1);
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const end = (answer: Answer | null): void => {
      signal.removeEventListener('abort', callOff);
      answers.delete(number);
      change(withoutQuestion(model, number));
      resolve(answer);
    };
    const callOff = (): void => end(null);
    answers.set(number, end);
    signal.addEventListener('abort', callOff, { once: true });
    change(withQuestion(tick(model, Date.now()), number, what));
    if (signal.aborted) callOff();
    return promise;
  };

  const ink = render(element(frame(model)), {
    stdin: io.stdin,
    stdout: screen,
    stderr: screen,
    // A terminal was looked for already; in automatic builds Ink would not believe it.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 1_000 / frameMs,
    incrementalRendering: true,
  });
  const onResize = (): void => {
    const { columns } = sizeOf(screen);
    ink.clear();
    screen.write(eraseUp(brokenRows(frame(model), columns)));
    model = resize(model, sizeOf(screen));
    draw();
  };
  screen.prependListener('resize', onResize);
  const letGo = catchOutput((text) => change(warn(model, text)));
  const ticking = setInterval(() => change(tick(model, Date.now())), tickMs);
  ticking.unref();

  return {
    see: (seen) => change(see(model, seen)),
    warn: (line) => change(warn(model, line)),
    trouble: (trouble) => change({ ...model, trouble }),
    async ask(asking, signal) {
      const answer = await question({ kind: 'permission', question: asking }, signal);
      return answer?.kind === 'permission' ? answer.answer : { decision: 'deny', reason: 'it was called off' };
    },
    async askUser(asking, signal) {
      const answer = await question({ kind: 'model', question: asking }, signal);
      return answer?.kind === 'model' ? answer.answer : null;
    },
    async close() {
      clearInterval(ticking);
      screen.off('resize', onResize);
      for (const end of [...answers.values()]) end(null);
      if (timer !== null) clearTimeout(timer);
      timer = null;
      const rest = scrollAway(model, true);
      addAbove([...rest.lines, ...(hasLeft ? farewell(model) : [])]);
      ink.rerender(element([]));
      await ink.waitUntilRenderFlush();
      ink.unmount();
      await ink.waitUntilExit();
      letGo();
    },
  };
}

function carryOut(controls: LiveControls, command: Exclude<Command, { type: 'answer' }>): void {
  switch (command.type) {
    case 'say':
      return controls.say(command.text);
    case 'steer':
      return controls.steer(command.text);
    case 'pause':
      return controls.pause();
    case 'resume':
      return controls.resume();
    case 'finish':
      return controls.finish();
    case 'cancel':
      return controls.cancel();
    case 'leave':
      return controls.leave();
    default:
      return command satisfies never;
  }
}

function farewell({ about }: ScreenModel): readonly Line[] {
  return about.mode === 'watch'
    ? []
    : [[seg(` The session is kept. Go on with: pawl resume ${about.id}`, 'strong')]];
}

/** What a terminal says of itself, or a usual size. Its last row is left to the cursor, so that nothing ever scrolls. */
function sizeOf(stream: Writable): Size {
  const { columns = 0, rows = 0 } = stream as Partial<Size>;
  return { columns: columns > 0 ? columns : 80, rows: rows > 1 ? rows - 1 : 23 };
}

/** A terminal that has become narrower breaks the rows that do not fit any more: into how many more than there were. */
function brokenRows(lines: readonly Line[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(0, Math.ceil(lineWidth(line) / columns) - 1), 0);
}

/** Row by row, since some terminals keep what is erased at once among the rows that have scrolled away. */
function eraseUp(rows: number): string {
  return '\x1b[1A\x1b[2K'.repeat(rows);
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}
