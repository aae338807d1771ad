import type { ReactNode } from 'react';
import { ApiRequestError } from '../api.ts';

/** Explains an empty view and suggests what to do. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function LoadingState({ what }: { readonly what: string }) {
  return (
    <div className="empty" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>Loading {what}…</p>
    </div>
  );
}

/** Shows an error, with a retry button if there is one. */
export function ErrorMessage({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ApiRequestError ? getErrorHint(error) : null;
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

export function getErrorHint({ code, hint }: ApiRequestError): string | null {
  if (hint !== null) return hint;
  if (code === 'unauthorized' || code === 'forbidden') {
    return 'This page is not signed in. Open the link that `pawl dashboard` printed, or start it again for a new one.';
  }
  if (code === 'offline') return 'Is `pawl dashboard` still running? The page reconnects by itself.';
  return null;
}
