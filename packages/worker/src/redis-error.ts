import { StoreError, type StoreErrorCode } from '@pawl/runtime';

/** How Redis begins its answer, and what that means for a store. */
const meanings: readonly (readonly [beginning: RegExp, code: StoreErrorCode])[] = [
  // It says so before it has written anything.
  [/^(?:OOM|MISCONF)\b/, 'full'],
  [/^(?:LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS)\b/, 'busy'],
];

/** In which script it came up tells nobody anything. */
const ofScript = / script: [\da-f]{40}, on @user_script:\d+\.?$/;

/** Does something with Redis; what goes wrong comes out as an error of a store. */
export async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeErrorFor(error);
  }
}

function storeErrorFor(error: unknown): Error {
  if (error instanceof StoreError) return error;
  const message = (error instanceof Error ? error.message : String(error)).replace(ofScript, '');
  const code = meanings.find(([beginning]) => beginning.test(message))?.[1] ?? 'unreadable';
  return new StoreError(code, 'Redis', reasonOf(error, message), error);
}

/** An error of the network may have no words at all, only a code. */
function reasonOf(error: unknown, message: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return message === '' ? code : message;
}
