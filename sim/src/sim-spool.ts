import type { Spool } from '@pawl/runtime';
import { diskDelay, portCall } from './port.ts';
import type { Driver, World } from './world.ts';

export type KeptResult = { result: string | null; output: string };

/** What is kept of calls until the log has it. What a `keep` wrote is there when it was done, not when it is answered. */
export function spoolOf(world: World, driver: Driver): Spool {
  const { oracle } = world;
  const spool = folderOf(world, driver.session);
  const caller = { process: driver.process.name, kind: 'spool' };
  const call = <Result>(name: string, perform: () => Result): Promise<Result> =>
    portCall(world, caller, { name, inMs: diskDelay(world, 'spool') }, async () => {
      if (world.faults.strikes('spool-error', name)) throw new Error('EIO: the spool cannot be used');
      return perform();
    });
  const at = (execution: string): KeptResult => {
    let kept = spool.get(execution);
    if (kept === undefined) spool.set(execution, (kept = { result: null, output: '' }));
    return kept;
  };
  const forget = (execution: string): void => {
    oracle.forgotten(driver, execution);
    spool.delete(execution);
  };
  return {
    keep: (execution, result) =>
      call('keep', () => {
        const text = JSON.stringify(result);
        at(execution).result = text;
        oracle.spooled(execution, text);
      }),
    hear(execution, chunk) {
      at(execution).output += new TextDecoder().decode(chunk);
    },
    find: (execution) =>
      call('find', () => {
        const { result = null, output = null } = spool.get(execution) ?? {};
        if (result === null) oracle.spoolUnread(execution);
        return { result: result === null ? null : JSON.parse(result), output };
      }).catch((error: unknown) => {
        oracle.spoolUnread(execution);
        throw error;
      }),
    forget: (execution) => call('forget', () => forget(execution)),
    keepOnly: (executions) =>
      call('keep only', () => {
        for (const execution of spool.keys()) if (!executions.includes(execution)) forget(execution);
      }),
  };
}

/** Each session has its own. */
function folderOf({ disk: { spools } }: World, session: string): Map<string, KeptResult> {
  let folder = spools.get(session);
  if (folder === undefined) spools.set(session, (folder = new Map()));
  return folder;
}
