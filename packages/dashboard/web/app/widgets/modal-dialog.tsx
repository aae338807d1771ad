import { useEffect, useId, useRef, type ReactNode } from 'react';
import { SvgIcon } from './svg-icon.tsx';

/** Modal dialog: it traps the focus, closes on Escape and restores the previous focus. */
export function ModalDialog({ title, close, isWide = false, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    element.showModal();
    // Focus the first field instead of the close button.
    element.querySelector<HTMLElement>('.dialog-body :is(textarea, input, select)')?.focus();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div className="dialog-inside">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="icon" aria-label="Close" onClick={close}>
            <SvgIcon name="close" />
          </button>
        </header>
        {/* Focusable so that the keyboard can scroll it. */}
        <div className="dialog-body" tabIndex={0}>
          {children}
        </div>
      </div>
    </dialog>
  );
}

type ModalDialogProps = {
  readonly title: string;
  readonly close: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};
