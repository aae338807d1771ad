import { useSyncExternalStore } from 'react';
import { ApiError } from './api.ts';
import { hintFor } from './widgets/notes.tsx';
import { Icon } from './widgets/icon.tsx';

type Toast = { readonly id: number; readonly text: string; readonly isBad: boolean };

const shownMs = 6_000;
const atOnce = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

export function toast(text: string, isBad = false): void {
  lastId += 1;
  const id = lastId;
  set([...toasts, { id, text, isBad }].slice(-atOnce));
  setTimeout(() => dismiss(id), isBad ? shownMs * 2 : shownMs);
}

export function toastError(error: unknown): void {
  const hint = error instanceof ApiError ? hintFor(error) : null;
  const message = error instanceof Error ? error.message : String(error);
  toast(hint === null ? message : `${message} ${hint}`, true);
}

/** What the page has to say, one line each; errors stay longer. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <div key={id} className={isBad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <button type="button" className="icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function dismiss(id: number): void {
  set(toasts.filter((each) => each.id !== id));
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
