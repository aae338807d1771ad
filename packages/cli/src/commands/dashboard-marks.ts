import type { Marks } from '@pawl/dashboard';
import type { MarkShelf } from './verdict-marks.ts';

/** The marks of `pawl verdict`, for the dashboard. */
export function marksOn(shelf: MarkShelf): Marks {
  return {
    async of(session) {
      const { marks } = await shelf.read([session]);
      return marks.flatMap(({ session: its, ...mark }) => (its === session ? [mark] : []));
    },
    keep: (session, { mark, ...verdict }) =>
      mark === null ? shelf.forget({ session, ...verdict }) : shelf.keep({ session, ...verdict, mark }),
  };
}
