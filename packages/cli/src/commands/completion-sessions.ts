import { allSessions, worksIn } from './session-named.ts';
import { withStore } from './session-store.ts';

/** More than anybody reads through after pressing a key. */
const idsMax = 100;

/** The ids of the newest sessions of a folder. A shell reads them, so ids that it might act on are left out. */
export function sessionIds(dir: string): Promise<readonly string[]> {
  return withStore({ dir }, async (store) => {
    const all = await allSessions(store);
    return all
      .filter((session) => worksIn(session, dir) && /^[\w.-]{1,100}$/.test(session.id))
      .slice(0, idsMax)
      .map(({ id }) => id);
  });
}
