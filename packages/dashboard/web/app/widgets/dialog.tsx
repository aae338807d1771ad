import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** A window over the page. It holds the focus, Escape closes it, and what was focused before is focused again. */
export function Dialog({ title, close, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    element.showModal();
    // Whoever opens a window with a field in it wants to write there, not to close it.
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
            <Icon name="close" />
          </button>
        </header>
        {/* It may scroll, and then the keyboard has to reach it. */}
        <div className="dialog-body" tabIndex={0}>
          {children}
        </div>
      </div>
    </dialog>
  );
}

type DialogProps = {
  readonly title: string;
  readonly close: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};
