import { listAllSessions, isSessionInFolder } from '../../sessions/find-session.ts';
import { withSessionStore } from '../../sessions/store-option.ts';

/** More ids than anyone reads through in a completion list. */
const maxSessionIds = 100;

/** Lists the ids of a folder's newest sessions, without ids that a shell could interpret. */
export function listCompletionSessionIds(dir: string): Promise<readonly string[]> {
  return withSessionStore({ dir }, async (store) => {
    const all = await listAllSessions(store);
    return all
      .filter((session) => isSessionInFolder(session, dir) && /^[\w.-]{1,100}$/.test(session.id))
      .slice(0, maxSessionIds)
      .map(({ id }) => id);
  });
}
