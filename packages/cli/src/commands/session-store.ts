import type { Store } from '@pawl/runtime/store';
import { openConfiguredStore } from '../store-option.ts';

/** Flags common to all session commands. */
export type SessionFlags = {
  /** The folder that `last` and lists refer to. */
  readonly dir: string;
  /** The store: user, workspace, or a file. */
  readonly store?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Opens the store, runs `work`, and always closes the store afterwards. */
export async function withSessionStore<Result>(
  flags: SessionFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const opened = await openConfiguredStore(flags);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}
