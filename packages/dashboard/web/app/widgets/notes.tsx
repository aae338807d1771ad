import type { ReactNode } from 'react';
import { ApiError } from '../api.ts';

/** What is said where there is nothing to show, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="empty" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>Loading {what}…</p>
    </div>
  );
}

/** What went wrong, and the way out of it if there is one. */
export function Trouble({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ApiError ? hintFor(error) : null;
  return (
    <div className="trouble" role="alert">
      <strong>{message}</strong>
      {hint !== null && <p>{hint}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function hintFor({ code, hint }: ApiError): string | null {
  if (hint !== null) return hint;
  if (code === 'unauthorized' || code === 'forbidden') {
    return 'This page is not signed in. Open the link that `pawl dashboard` printed, or start it again for a new one.';
  }
  if (code === 'offline') return 'Is `pawl dashboard` still running? The page goes on by itself once it is.';
  return null;
}
