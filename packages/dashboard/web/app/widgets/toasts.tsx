import { useSyncExternalStore } from 'react';
import { ApiRequestError } from '../api.ts';
import { getErrorHint } from './state-messages.tsx';
import { SvgIcon } from './svg-icon.tsx';

type ToastMessage = { readonly id: number; readonly text: string; readonly isBad: boolean };

const toastMs = 6_000;
const visibleToastsMax = 4;

let currentToasts: readonly ToastMessage[] = [];
let lastToastId = 0;
const toastListeners = new Set<() => void>();

export function showToast(text: string, isBad = false): void {
  lastToastId += 1;
  const id = lastToastId;
  setToasts([...currentToasts, { id, text, isBad }].slice(-visibleToastsMax));
  setTimeout(() => dismissToast(id), isBad ? toastMs * 2 : toastMs);
}

export function showErrorToast(error: unknown): void {
  const hint = error instanceof ApiRequestError ? getErrorHint(error) : null;
  const message = error instanceof Error ? error.message : String(error);
  showToast(hint === null ? message : `${message} ${hint}`, true);
}

/** Shows notifications, one line each; errors stay longer. */
export function ToastList() {
  const shown = useSyncExternalStore(subscribeToToasts, () => currentToasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <div key={id} className={isBad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <button type="button" className="icon" aria-label="Dismiss" onClick={() => dismissToast(id)}>
            <SvgIcon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function dismissToast(id: number): void {
  setToasts(currentToasts.filter((each) => each.id !== id));
}

function setToasts(next: readonly ToastMessage[]): void {
  currentToasts = next;
  for (const listener of toastListeners) listener();
}

function subscribeToToasts(listener: () => void): () => void {
  toastListeners.add(listener);
  return () => toastListeners.delete(listener);
}
