import { acceptsUserMessage, isClosedSession } from '@pawl/core';
import { useRef, useState } from 'react';
import type { CommandRequest } from '../app/api-types.ts';
import { showToast, showErrorToast } from '../app/widgets/toasts.tsx';
import { useKeys } from '../app/use-keys.ts';
import type { SessionViewProps } from '../app/view-props.ts';
import { ModalDialog } from '../app/widgets/modal-dialog.tsx';

type SessionControlsProps = SessionViewProps & { readonly send: (command: CommandRequest) => Promise<void> };

/** Controls that send commands to the session. They always act on its current state, whichever event is selected. */
export function SessionControls({ timeline, send }: SessionControlsProps) {
  const { status } = timeline.latest.turn;
  const [text, setText] = useState('');
  const [dialogCommand, openDialog] = useState<ControlCommand | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isClosed = isClosedSession(timeline.latest);
  const isPaused = status === 'paused';
  const isWaiting = acceptsUserMessage(timeline.latest);
  const sendAndNotify = (command: CommandRequest, confirmation: string): void => {
    send(command).then(() => showToast(confirmation), showErrorToast);
  };
  const sendMessage = (): void => {
    if (text.trim() === '') return;
    sendAndNotify(
      { kind: 'say', text },
      isWaiting ? 'Message sent.' : 'Message sent. The model receives it with its next request.',
    );
    setText('');
  };
  const togglePause = (): void =>
    isPaused
      ? sendAndNotify({ kind: 'resume' }, 'Resumed.')
      : sendAndNotify({ kind: 'pause', reason: 'requested in the dashboard' }, 'Pausing.');
  useKeys(
    'Control',
    isClosed
      ? []
      : [
          { keys: 's', description: 'Send a message to the model', run: () => field.current?.focus() },
          { keys: 'p', description: 'Pause or resume', run: togglePause },
          { keys: 'x', description: 'Finish with a final answer', run: () => openDialog('finish') },
        ],
  );
  if (isClosed)
    return <p className="why-not">This session is closed. Fork it to continue from any of its events.</p>;
  return (
    <div className="step-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sendMessage();
        }}
      >
        <input
          ref={field}
          value={text}
          aria-label={
            isWaiting
              ? 'Message to the model'
              : 'Steering message: the model receives it with its next request'
          }
          placeholder={isWaiting ? 'Message the model…' : 'Steer the model without stopping it…'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <button type="submit" className="primary" disabled={text.trim() === ''}>
          {isWaiting ? 'Send' : 'Steer'}
        </button>
      </form>
      <ControlButtons {...{ isPaused, isWaiting, togglePause, openDialog }} />
      {dialogCommand !== null && (
        <ControlDialog
          command={dialogCommand}
          timeline={timeline}
          sendAndNotify={sendAndNotify}
          close={() => openDialog(null)}
        />
      )}
    </div>
  );
}

type ControlButtonsProps = {
  readonly isPaused: boolean;
  readonly isWaiting: boolean;
  readonly togglePause: () => void;
  readonly openDialog: (dialogCommand: ControlCommand) => void;
};

function ControlButtons({ isPaused, isWaiting, togglePause, openDialog }: ControlButtonsProps) {
  return (
    <div className="buttons">
      <button type="button" onClick={togglePause}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <button type="button" onClick={() => openDialog('phase')}>
        Phase
      </button>
      <button type="button" onClick={() => openDialog('finish')}>
        Finish
      </button>
      <button type="button" onClick={() => openDialog('cancel')} disabled={isWaiting}>
        Cancel
      </button>
      <button type="button" className="danger" onClick={() => openDialog('halt')}>
        Halt
      </button>
    </div>
  );
}

type ControlCommand = 'phase' | 'finish' | 'cancel' | 'halt';

const controlCommandTexts: Readonly<
  Record<
    ControlCommand,
    {
      readonly title: string;
      readonly explanation: string;
      readonly verb: string;
      readonly confirmation: string;
    }
  >
> = {
  phase: {
    title: 'Start a new phase',
    explanation: 'The current phase ends, and all further work belongs to the new phase.',
    verb: 'Start phase',
    confirmation: 'Phase started.',
  },
  finish: {
    title: 'Finish now',
    explanation: 'The model is called once more, without tools, for its best final answer.',
    verb: 'Finish',
    confirmation: 'Finish requested.',
  },
  cancel: {
    title: 'Cancel this turn',
    explanation: 'Running work is cancelled. The session stays open and waits for you.',
    verb: 'Cancel turn',
    confirmation: 'Cancelled.',
  },
  halt: {
    title: 'Halt this session',
    explanation: 'The session is closed. It can still be viewed and forked, but not continued.',
    verb: 'Halt',
    confirmation: 'Halted.',
  },
};

type ControlDialogProps = Pick<SessionViewProps, 'timeline'> & {
  readonly command: ControlCommand;
  readonly sendAndNotify: (command: CommandRequest, done: string) => void;
  readonly close: () => void;
};

function ControlDialog({ command: dialogCommand, timeline, sendAndNotify, close }: ControlDialogProps) {
  const { title, explanation, verb, confirmation } = controlCommandTexts[dialogCommand];
  const [number, setNumber] = useState((timeline.latest.phases.current?.number ?? 0) + 1);
  const [text, setText] = useState('');
  const submit = (): void => {
    const reason = text.trim() === '' ? 'requested in the dashboard' : text.trim();
    const command: CommandRequest =
      dialogCommand === 'phase'
        ? { kind: 'phase', number, description: reason }
        : { kind: dialogCommand, reason };
    sendAndNotify(command, confirmation);
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
        <p>{explanation}</p>
        {dialogCommand === 'phase' && (
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
          {dialogCommand === 'phase' ? 'Description' : 'Reason (recorded in the log)'}
          <input
            value={text}
            required={dialogCommand === 'phase'}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <div className="form-end">
          <button type="button" onClick={close}>
            Back
          </button>
          <button
            type="submit"
            className={dialogCommand === 'halt' || dialogCommand === 'cancel' ? 'danger' : 'primary'}
          >
            {verb}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}
