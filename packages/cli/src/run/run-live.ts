import { doNothing, createLineRunView, type NextInput, type RunView } from './run-view.ts';
import { getConversation, isTerminalSession, type Session } from '@pawl/core';
import { findTurnAnswer, type StepResult } from '@pawl/runtime';
import type { CommandIo } from '../output/command-io.ts';
import { isTerminalStream } from '../output/terminal-prompt.ts';
import { openLiveView, type LiveView } from '../tui/live-view.ts';

export type LiveRunOptions = {
  readonly mode: 'run' | 'chat';
  readonly model: string;
};

/** The live terminal view of a run; it prints lines until there is an agent to control. */
export function createLiveRunView(io: CommandIo, { mode, model }: LiveRunOptions): RunView {
  const lines = createLineRunView(io);
  let live: LiveView | null = null;
  let folder = '';
  let paths: readonly string[] = [];
  let hasLeft = false;
  let wake: () => void = doNothing;
  return {
    canResume: true,
    asks: {
      permission: (question, signal) => live?.ask(question, signal) ?? Promise.resolve(unattendedDenial),
      user: (question, signal) => live?.askUser(question, signal) ?? Promise.resolve(null),
    },
    start(info) {
      folder = info.root;
      paths = info.paths;
      lines.start(info);
    },
    warn: (line) => (live === null ? lines : live).warn(line),
    setStoreOutage: (outage) => live?.setStoreOutage(outage),
    observe(result: StepResult) {
      live?.observe(result);
      if (result.session.turn.status !== 'waitingForUser') wake();
    },
    control(session, controls, { isStored }) {
      const leave = (): void => {
        hasLeft = true;
        wake();
        controls.leave();
      };
      live = openLiveView({
        io,
        session,
        folder,
        paths,
        id: session.id,
        mode,
        model,
        isStored,
        controls: { ...controls, leave },
      });
    },
    async next(session): Promise<NextInput> {
      const isDone = hasFinalAnswer(session) || isTerminalSession(session);
      if (hasLeft || (mode === 'run' && isDone)) return { kind: 'end' };
      // The live view sends typed text to the agent itself; only wait until something happens.
      await new Promise<void>((resolve) => (wake = resolve));
      return hasLeft ? { kind: 'end' } : { kind: 'again' };
    },
    async end(result) {
      await live?.close();
      // The answer is already visible above, unless the output is redirected.
      const isRead = mode === 'chat' || isTerminalStream(io.stdout);
      const answer = isRead ? null : result.answer;
      // The resume hint was printed when the user left.
      await lines.end({ ...result, answer, reason: hasLeft ? null : result.reason });
    },
  };
}

const unattendedDenial = { decision: 'deny', reason: 'no user is available to ask' } as const;

/** A cancelled turn has no answer; the user is then asked for the next message. */
function hasFinalAnswer(session: Session): boolean {
  return findTurnAnswer(getConversation(session)) !== null;
}
