import type { Store } from '@pawl/runtime';
import { openStoreFor } from '../store-option.ts';

/** What every command on sessions is told in the same way. */
export type SessionFlags = {
  /** The folder whose sessions are meant by `last`, and by a list. */
  readonly dir: string;
  /** Which store: user, workspace, or a file. */
  readonly store?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Opens the store, does something with it, and lets go of it whatever came of that. */
export async function withStore<Result>(
  flags: SessionFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const opened = await openStoreFor(flags);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}
