import { useRef, useState } from 'react';
import type { CommandRequest } from './api-types.ts';
import { showToast, showErrorToast } from './toasts.tsx';
import { useKeys } from './use-keys.ts';
import type { SessionViewProps } from './view-props.ts';
import { ModalDialog } from './widgets/modal-dialog.tsx';

type SessionControlsProps = SessionViewProps & { readonly send: (command: CommandRequest) => Promise<void> };

/** Controls that send commands to the session. They always act on its current state, whichever event is selected. */
export function SessionControls({ track, send }: SessionControlsProps) {
  const { status } = track.now.turn;
  const [text, setText] = useState('');
  const [asking, setAsking] = useState<ControlCommand | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isOver = status === 'halted' || status === 'shuttingDown';
  const isPaused = status === 'paused';
  const isWaiting = status === 'waitingForUser';
  const ask = (command: CommandRequest, done: string): void => {
    send(command).then(() => showToast(done), showErrorToast);
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
      <ControlButtons {...{ isPaused, isWaiting, turn, setAsking }} />
      {asking !== null && (
        <ControlDialog asking={asking} track={track} ask={ask} close={() => setAsking(null)} />
      )}
    </div>
  );
}

type ControlButtonsProps = {
  readonly isPaused: boolean;
  readonly isWaiting: boolean;
  readonly turn: () => void;
  readonly setAsking: (asking: ControlCommand) => void;
};

function ControlButtons({ isPaused, isWaiting, turn, setAsking }: ControlButtonsProps) {
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

type ControlCommand = 'phase' | 'finish' | 'cancel' | 'halt';

const controlCommandTexts: Readonly<
  Record<
    ControlCommand,
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

type ControlDialogProps = Pick<SessionViewProps, 'track'> & {
  readonly asking: ControlCommand;
  readonly ask: (command: CommandRequest, done: string) => void;
  readonly close: () => void;
};

function ControlDialog({ asking, track, ask, close }: ControlDialogProps) {
  const { title, what, verb, done } = controlCommandTexts[asking];
  const [number, setNumber] = useState((track.now.phases.current?.number ?? 0) + 1);
  const [text, setText] = useState('');
  const submit = (): void => {
    const reason = text.trim() === '' ? 'asked for in the dashboard' : text.trim();
    const command: CommandRequest =
      asking === 'phase' ? { kind: 'phase', number, description: reason } : { kind: asking, reason };
    ask(command, done);
    close();
  };
  return (
    <ModalDialog title={title} close={close}>
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
    </ModalDialog>
  );
}
