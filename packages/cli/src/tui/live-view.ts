import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@pawl/core';
import type { StepResult, StoreOutage } from '@pawl/runtime';
import type { PermissionAnswer, PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';
import type { CommandIo } from '../output/command-io.ts';
import {
  removeQuestion,
  addQuestion,
  type QuestionAnswer,
  type NewQuestion,
  createQuestionQueue,
} from './questions.ts';
import { captureOutput, openTerminalScreen, getTerminalSize } from './terminal-screen.ts';
import { renderFrame } from './render-frame.ts';
import { handleKey, type ViewCommand, type KeyPress } from './handle-key.ts';
import { createSegment, type StyledLine, createPainter } from './styled-line.ts';
import { renderTranscript } from './transcript-panel.ts';
import {
  isRedrawNeeded,
  isWaitingForUser,
  createScreenModel,
  resizeScreen,
  applyStepResult,
  advanceClock,
  describeStorage,
  addWarning,
  replaceInput,
  type SessionDescriptor,
  type ScreenModel,
} from './screen-model.ts';

/** The actions of the keys; each is called once per key press and not awaited. */
export type LiveControls = {
  say(text: string): void;
  /** Sends a message while the agent works. */
  steer(text: string): void;
  pause(): void;
  resume(): void;
  finish(): void;
  cancel(): void;
  leave(): void;
};

export type LiveViewOptions = {
  readonly io: CommandIo;
  readonly session: Session;
  readonly folder: string;
  /** The files of the folder, for completion; empty if unknown. */
  readonly paths: readonly string[];
  readonly controls: LiveControls;
  readonly id: string;
  readonly mode: SessionDescriptor['mode'];
  readonly model: string;
  readonly isStored: boolean;
};

export type LiveView = {
  readonly observe: (result: StepResult) => void;
  readonly warn: (line: string) => void;
  readonly setStoreOutage: (outage: StoreOutage | null) => void;
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  readonly askUser: (question: UserQuestion, signal: AbortSignal) => Promise<string | null>;
  /** Restores the terminal and prints the transcript on it. Later events are not shown. */
  readonly close: () => Promise<void>;
};

/** Maximum frame rate, and the interval for checking whether time alone has changed the view. */
const framesPerSecond = 20;
const tickMs = 250;

/** Shows a session live on standard error, and passes key commands to the controls. */
export function openLiveView({ io, session, controls, ...descriptor }: LiveViewOptions): LiveView {
  const paint = createPainter(io.stderr);
  const questions = createQuestionQueue();
  let model = createScreenModel({ descriptor, session, size: getTerminalSize(io), now: Date.now() });
  let timer: NodeJS.Timeout | null = null;
  let hasQuit = false;
  let isClosed = false;

  const draw = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    screen.draw(renderFrame(model).map(paint));
  };
  const change = (next: ScreenModel): void => {
    // The bell rings once when the user's turn comes.
    if (waitsForUser(next) && !waitsForUser(model)) io.stderr.write('\x07');
    model = next;
    if (!isClosed) timer ??= setTimeout(draw, 1_000 / framesPerSecond);
  };
  const onKey = (key: KeyPress): void => {
    const result = handleKey(model, key, Date.now());
    change(result.model);
    for (const command of result.commands) {
      if (command.type === 'quit') hasQuit = true;
      if (command.type === 'answer') questions.answer(command.number, command.answer);
      else if (command.type === 'edit') void editInput(command.text);
      else runViewCommand(controls, command);
    }
  };
  const editInput = async (text: string): Promise<void> => {
    await screen.suspend(() => {
      const edited = editText(text);
      change(
        typeof edited === 'string'
          ? replaceInput(model, edited)
          : addWarning(model, `The editor failed: ${edited.message}`),
      );
    });
    draw();
  };
  const ask = (question: NewQuestion, signal: AbortSignal): Promise<QuestionAnswer | null> =>
    questions.wait(signal, (number, isOpen) => {
      const now = advanceClock(model, Date.now());
      change(isOpen ? addQuestion(now, number, question) : removeQuestion(now, number));
    });

  const screen = openTerminalScreen({
    io,
    framesPerSecond,
    onKey,
    onResize(size) {
      model = resizeScreen(model, size);
      draw();
    },
  });
  draw();
  const restoreOutput = captureOutput((text) => change(addWarning(model, text)));
  const ticker = setInterval(() => {
    const now = Date.now();
    if (isRedrawNeeded(model, now)) change(advanceClock(model, now));
  }, tickMs);

  return {
    observe: (result) => change(applyStepResult(model, result)),
    warn: (line) => change(addWarning(model, line)),
    setStoreOutage: (storeOutage) => change({ ...model, storeOutage }),
    ...createAskMethods(ask),
    async close() {
      if (isClosed) return;
      isClosed = true;
      questions.cancelAll();
      clearInterval(ticker);
      if (timer !== null) clearTimeout(timer);
      await screen.close();
      restoreOutput();
      for (const line of [...renderFinalTranscript(model), ...(hasQuit ? renderFarewell(model) : [])]) {
        io.stderr.write(`${paint(line)}\n`);
      }
    },
  };
}

/** Whether the session waits for an answer or for a message. */
function waitsForUser(model: ScreenModel): boolean {
  return model.descriptor.mode !== 'watch' && (model.questions.length > 0 || isWaitingForUser(model));
}

/** An unanswered question counts as no. */
function createAskMethods(
  ask: (question: NewQuestion, signal: AbortSignal) => Promise<QuestionAnswer | null>,
): Pick<LiveView, 'ask' | 'askUser'> {
  return {
    async ask(question, signal) {
      const answer = await ask({ kind: 'permission', question }, signal);
      return answer?.kind === 'permission'
        ? answer.answer
        : { decision: 'deny', reason: 'the question was cancelled' };
    },
    async askUser(question, signal) {
      const answer = await ask({ kind: 'model', question }, signal);
      return answer?.kind === 'model' ? answer.answer : null;
    },
  };
}

/** Renders the transcript for the restored terminal. */
function renderFinalTranscript({ transcript, size, now }: ScreenModel): readonly StyledLine[] {
  return renderTranscript(transcript, { columns: Math.max(1, size.columns - 1), now, cardRows: 0 });
}

function runViewCommand(
  controls: LiveControls,
  command: Exclude<ViewCommand, { type: 'answer' | 'edit' }>,
): void {
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
    case 'quit':
      return controls.leave();
    default:
      return command satisfies never;
  }
}

/** Edits a text in the user's editor; returns the error if that failed. */
function editText(text: string): string | Error {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-message-'));
  const file = join(folder, 'message.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? defaultEditor;
    // The variable may hold a command line, as for git: "code --wait".
    const { status, error } = spawnSync(`${editor} ${JSON.stringify(file)}`, {
      shell: true,
      stdio: 'inherit',
    });
    if (error !== undefined) return error;
    if (status !== 0) return new Error(`${editor} ended with ${status ?? 'a signal'}.`);
    return readFileSync(file, 'utf8').trimEnd();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const defaultEditor = process.platform === 'win32' ? 'notepad' : 'vi';

function renderFarewell({ descriptor }: ScreenModel): readonly StyledLine[] {
  return descriptor.mode === 'watch' ? [] : [[createSegment(` ${describeStorage(descriptor)}`, 'strong')]];
}
