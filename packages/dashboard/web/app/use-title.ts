import { useEffect } from 'react';
import { visibleLine } from './visible.ts';

/** What the tab of the browser says. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${visibleLine(title, 60)} · Pawl`;
  }, [title]);
}
