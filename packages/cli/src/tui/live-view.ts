import type { Session } from '@pawl/core';
import type { PermissionAnswer, PermissionQuestion, Question, Seen, Trouble } from '@pawl/runtime';
import type { Io } from '../io.ts';
import { withoutQuestion, withQuestion } from './ask.ts';
import { catchOutput } from './caught-output.ts';
import { openDrawnScreen, sizeOf } from './drawn-screen.ts';
import { frame } from './frame.ts';
import { press, type Command, type Key } from './keys.ts';
import { seg, type Line } from './line.ts';
import { openQuestions } from './open-questions.ts';
import { painterFor } from './paint.ts';
import { storyLines } from './panels/transcript.ts';
import type { Answer, NewQuestion } from './questions.ts';
import { looksOther, openScreen, resize, see, tick, warn, type About, type ScreenModel } from './screen.ts';
import { shortId } from '../short-id.ts';

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
  readonly see: (seen: Seen) => void;
  readonly warn: (line: string) => void;
  readonly trouble: (trouble: Trouble | null) => void;
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  readonly askUser: (question: Question, signal: AbortSignal) => Promise<string | null>;
  /** Gives the terminal back, with what there was to read left on it. What happens afterwards is not shown any more. */
  readonly close: () => Promise<void>;
};

/** So often the view is drawn at most, and so often it is looked whether the time alone has changed it. */
const framesPerSecond = 20;
const tickMs = 250;

/** Shows a session while it works, on standard error, and tells the controls what the keys ask for. */
export function openLiveView({ io, session, controls, ...about }: LiveViewOptions): LiveView {
  const paint = painterFor(io.stderr);
  const questions = openQuestions();
  let model = openScreen({ about, session, size: sizeOf(io), now: Date.now() });
  let timer: NodeJS.Timeout | null = null;
  let hasLeft = false;
  let isClosed = false;

  const draw = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    screen.draw(frame(model).map(paint));
  };
  const change = (next: ScreenModel): void => {
    model = next;
    if (!isClosed) timer ??= setTimeout(draw, 1_000 / framesPerSecond);
  };
  const onKey = (key: Key): void => {
    const pressed = press(model, key, Date.now());
    change(pressed.model);
    for (const command of pressed.commands) {
      if (command.type === 'leave') hasLeft = true;
      if (command.type === 'answer') questions.answer(command.number, command.answer);
      else carryOut(controls, command);
    }
  };
  const ask = (question: NewQuestion, signal: AbortSignal): Promise<Answer | null> =>
    questions.wait(signal, (number, isOpen) => {
      const now = tick(model, Date.now());
      change(isOpen ? withQuestion(now, number, question) : withoutQuestion(now, number));
    });

  const screen = openDrawnScreen({
    io,
    framesPerSecond,
    onKey,
    onResize(size) {
      model = resize(model, size);
      draw();
    },
  });
  draw();
  const letGo = catchOutput((text) => change(warn(model, text)));
  const ticking = setInterval(() => {
    const now = Date.now();
    if (looksOther(model, now)) change(tick(model, now));
  }, tickMs);

  return {
    see: (seen) => change(see(model, seen)),
    warn: (line) => change(warn(model, line)),
    trouble: (trouble) => change({ ...model, trouble }),
    ...answering(ask),
    async close() {
      if (isClosed) return;
      isClosed = true;
      questions.callOff();
      clearInterval(ticking);
      if (timer !== null) clearTimeout(timer);
      await screen.close();
      letGo();
      for (const line of [...leftBehind(model), ...(hasLeft ? farewell(model) : [])]) {
        io.stderr.write(`${paint(line)}\n`);
      }
    },
  };
}

/** Nobody's answer is no. */
function answering(
  ask: (question: NewQuestion, signal: AbortSignal) => Promise<Answer | null>,
): Pick<LiveView, 'ask' | 'askUser'> {
  return {
    async ask(question, signal) {
      const answer = await ask({ kind: 'permission', question }, signal);
      return answer?.kind === 'permission'
        ? answer.answer
        : { decision: 'deny', reason: 'it was called off' };
    },
    async askUser(question, signal) {
      const answer = await ask({ kind: 'model', question }, signal);
      return answer?.kind === 'model' ? answer.answer : null;
    },
  };
}

/** What there was to read, for the terminal as it was before. */
function leftBehind({ story, size, now }: ScreenModel): readonly Line[] {
  return storyLines(story, { columns: Math.max(1, size.columns - 1), now, cardRows: 0 });
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
    : [[seg(` The session is kept. Go on with: pawl resume ${shortId(about.id)}`, 'strong')]];
}
