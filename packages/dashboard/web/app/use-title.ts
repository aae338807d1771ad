import { useEffect } from 'react';
import { toSafeLine } from './safe-text.ts';

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${toSafeLine(title, 60)} · Pawl`;
  }, [title]);
}
