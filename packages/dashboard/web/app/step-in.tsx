import { useRef, useState } from 'react';
import type { Command } from './api-types.ts';
import { toast, toastError } from './toasts.tsx';
import { useKeys } from './use-keys.ts';
import type { SessionViewProps } from './view-props.ts';
import { Dialog } from './widgets/dialog.tsx';

type StepInProps = SessionViewProps & { readonly send: (command: Command) => Promise<void> };

/** What a person may ask of the session, whatever moment is looked at: it is always about now. */
export function StepIn({ track, send }: StepInProps) {
  const { status } = track.now.turn;
  const [text, setText] = useState('');
  const [asking, setAsking] = useState<Asking | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isOver = status === 'halted' || status === 'shuttingDown';
  const isPaused = status === 'paused';
  const isWaiting = status === 'waitingForUser';
  const ask = (command: Command, done: string): void => {
    send(command).then(() => toast(done), toastError);
  };
  const say = (): void => {
    if (text.trim() === '') return;
    ask({ kind: 'say', text }, isWaiting ? 'Said.' : 'Said: the model hears it when it is asked next.');
    setText('');
  };
  const turn = (): void =>
    isPaused
      ? ask({ kind: 'resume' }, 'Resumed.')
      : ask({ kind: 'pause', reason: 'from the dashboard' }, 'Pausing.');
  useKeys(
    'Step in',
    isOver
      ? []
      : [
          { keys: 's', does: 'Say something to the model', run: () => field.current?.focus() },
          { keys: 'p', does: 'Pause or resume', run: turn },
          { keys: 'x', does: 'Finish with an answer', run: () => setAsking('finish') },
        ],
  );
  if (isOver)
    return <p className="why-not">This session has ended. Fork it to go on from any of its events.</p>;
  return (
    <div className="step-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
        <input
          ref={field}
          value={text}
          aria-label={isWaiting ? 'Message to the model' : 'Steer: the model hears it when it is asked next'}
          placeholder={isWaiting ? 'Say what to do next…' : 'Steer the model without stopping it…'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <button type="submit" className="primary" disabled={text.trim() === ''}>
          {isWaiting ? 'Send' : 'Steer'}
        </button>
      </form>
      <AskButtons {...{ isPaused, isWaiting, turn, setAsking }} />
      {asking !== null && <AskDialog asking={asking} track={track} ask={ask} close={() => setAsking(null)} />}
    </div>
  );
}

type AskButtonsProps = {
  readonly isPaused: boolean;
  readonly isWaiting: boolean;
  readonly turn: () => void;
  readonly setAsking: (asking: Asking) => void;
};

function AskButtons({ isPaused, isWaiting, turn, setAsking }: AskButtonsProps) {
  return (
    <div className="buttons">
      <button type="button" onClick={turn}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <button type="button" onClick={() => setAsking('phase')}>
        Phase
      </button>
      <button type="button" onClick={() => setAsking('finish')}>
        Finish
      </button>
      <button type="button" onClick={() => setAsking('cancel')} disabled={isWaiting}>
        Cancel
      </button>
      <button type="button" className="danger" onClick={() => setAsking('halt')}>
        Halt
      </button>
    </div>
  );
}

type Asking = 'phase' | 'finish' | 'cancel' | 'halt';

const asked: Readonly<
  Record<
    Asking,
    { readonly title: string; readonly what: string; readonly verb: string; readonly done: string }
  >
> = {
  phase: {
    title: 'Begin another phase',
    what: 'The phase at hand ends, and what is done from now on counts for this one.',
    verb: 'Begin phase',
    done: 'Phase begun.',
  },
  finish: {
    title: 'Finish now',
    what: 'The model is asked once more, without tools, for the best answer it can give.',
    verb: 'Finish',
    done: 'Asked to finish.',
  },
  cancel: {
    title: 'Cancel the work of this turn',
    what: 'What runs is called off. The session stays, and waits for you.',
    verb: 'Cancel the work',
    done: 'Cancelled.',
  },
  halt: {
    title: 'Halt for good',
    what: 'The session ends here. It can be looked at and forked, and not gone on with.',
    verb: 'Halt',
    done: 'Halted.',
  },
};

type AskDialogProps = Pick<SessionViewProps, 'track'> & {
  readonly asking: Asking;
  readonly ask: (command: Command, done: string) => void;
  readonly close: () => void;
};

function AskDialog({ asking, track, ask, close }: AskDialogProps) {
  const { title, what, verb, done } = asked[asking];
  const [number, setNumber] = useState((track.now.phases.current?.number ?? 0) + 1);
  const [text, setText] = useState('');
  const submit = (): void => {
    const reason = text.trim() === '' ? 'asked for in the dashboard' : text.trim();
    const command: Command =
      asking === 'phase' ? { kind: 'phase', number, description: reason } : { kind: asking, reason };
    ask(command, done);
    close();
  };
  return (
    <Dialog title={title} close={close}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>{what}</p>
        {asking === 'phase' && (
          <label>
            Number
            <input
              type="number"
              min={1}
              value={number}
              onChange={(event) => setNumber(Number(event.target.value))}
            />
          </label>
        )}
        <label>
          {asking === 'phase' ? 'What it is about' : 'Why (goes on record)'}
          <input
            value={text}
            required={asking === 'phase'}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <div className="form-end">
          <button type="button" onClick={close}>
            Leave it
          </button>
          <button type="submit" className={asking === 'halt' || asking === 'cancel' ? 'danger' : 'primary'}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
