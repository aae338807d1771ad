import { StoreError, type SessionSummary, type Store } from '@pawl/runtime';

export async function findSessionSummary(store: Store, id: string): Promise<SessionSummary> {
  const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  const found = all.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new StoreError('missing', `session ${JSON.stringify(id.slice(0, 200))}`);
}
