import { claimsMax, type StoreRows } from './rows.ts';
import type { SessionClaim } from './store.ts';
import type { PrepareStatement } from './sqlite-store.ts';

/** Reads and writes the claim history of sessions. */
export function createSqliteClaims(prepare: PrepareStatement): Pick<StoreRows, 'addClaim' | 'claims'> {
  const session = '(SELECT number FROM sessions WHERE id = ?)';
  const add = prepare(
    `INSERT INTO claims (session, owner, at, head, status)
     VALUES (${session}, ?, round(unixepoch('subsec') * 1000), ?, ?)`,
  );
  const removeOld = prepare(
    `DELETE FROM claims WHERE session = ${session} AND number <= (
       SELECT number FROM claims WHERE session = ${session} ORDER BY number DESC LIMIT 1 OFFSET ${claimsMax}
     )`,
  );
  const all = prepare(
    `SELECT owner, at, head, status FROM claims WHERE session = ${session} ORDER BY number`,
  );
  return {
    addClaim: (id, { owner, head, status }) => {
      add().run(id, owner, head, status);
      removeOld().run(id, id);
    },
    claims: (id) =>
      all()
        .all(id)
        .map((row) => ({
          owner: String(row['owner']),
          at: Number(row['at']),
          head: Number(row['head']),
          status: String(row['status']) as SessionClaim['status'],
        })),
  };
}
