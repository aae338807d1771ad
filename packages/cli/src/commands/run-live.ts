import { conversationOf, type Session } from '@pawl/core';
import { answerOf, type Seen } from '@pawl/runtime';
import type { Io } from '../io.ts';
import { isTerminal } from '../terminal.ts';
import { openLiveView, type LiveView } from '../tui/live-view.ts';
import { lineView, type Next, type RunView } from './run-view.ts';

export type LiveOptions = {
  readonly mode: 'run' | 'chat';
  readonly model: string;
};

/** The live terminal, as a view of a run. Until there is an agent to control, lines have to do. */
export function liveRunView(io: Io, { mode, model }: LiveOptions): RunView {
  const lines = lineView(io);
  let live: LiveView | null = null;
  let folder = '';
  let hasLeft = false;
  let wake: () => void = nothing;
  return {
    asks: {
      permission: (question, signal) => live?.ask(question, signal) ?? Promise.resolve(noAnswer),
      user: (question, signal) => live?.askUser(question, signal) ?? Promise.resolve(null),
    },
    start(begun) {
      folder = begun.root;
      lines.start(begun);
    },
    warn: (line) => (live === null ? lines : live).warn(line),
    trouble: (trouble) => live?.trouble(trouble),
    see(seen: Seen) {
      live?.see(seen);
      if (seen.session.turn.status !== 'waitingForUser') wake();
    },
    control(session, controls) {
      const leave = (): void => {
        hasLeft = true;
        wake();
        controls.leave();
      };
      live = openLiveView({
        io,
        session,
        folder,
        id: session.id,
        mode,
        model,
        controls: { ...controls, leave },
      });
    },
    async next(session): Promise<Next> {
      if (hasLeft || (mode === 'run' && hasAnswer(session))) return { kind: 'end' };
      // What the user types goes to the agent by itself: here it is only waited for that something happens.
      await new Promise<void>((resolve) => (wake = resolve));
      return hasLeft ? { kind: 'end' } : { kind: 'again' };
    },
    async end(result) {
      await live?.close();
      // It can be read above already, unless the output goes elsewhere.
      const isRead = mode === 'chat' || isTerminal(io.stdout);
      const answer = isRead ? null : result.answer;
      // How to go on was said when the user left.
      await lines.end({ ...result, answer, reason: hasLeft ? null : result.reason });
    },
  };
}

const nothing = (): void => undefined;
const noAnswer = { decision: 'deny', reason: 'nobody is there to ask' } as const;

/** A turn that was called off has none: then the user is asked for what comes next. */
function hasAnswer(session: Session): boolean {
  return answerOf(conversationOf(session)) !== null;
}
