import type { ExecutionSpool } from '@pawl/runtime';
import { drawDiskDelay, performPortCall } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

export type SpooledResult = { result: string | null; output: string };

/** Stores results of calls until the log contains them. A result is visible once written, before `keep` resolves. */
export function createSimSpool(world: SimWorld, driver: SessionDriver): ExecutionSpool {
  const { oracle } = world;
  const spool = getSimSpool(world, driver.session);
  const caller = { process: driver.process.name, kind: 'spool' };
  const call = <Result>(name: string, perform: () => Result): Promise<Result> =>
    performPortCall(world, caller, { name, inMs: drawDiskDelay(world, 'spool') }, async () => {
      if (world.faults.strikes('spool-error', name)) throw new Error('EIO: the spool cannot be used');
      return perform();
    });
  const at = (execution: string): SpooledResult => {
    let kept = spool.get(execution);
    if (kept === undefined) spool.set(execution, (kept = { result: null, output: '' }));
    return kept;
  };
  const forget = (execution: string): void => {
    oracle.forgotten(driver, execution);
    spool.delete(execution);
  };
  return {
    saveResult: (execution, result) =>
      call('keep', () => {
        const text = JSON.stringify(result);
        at(execution).result = text;
        oracle.spooled(execution, text);
      }),
    appendOutput(execution, chunk) {
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
    remove: (execution) => call('forget', () => forget(execution)),
    retainOnly: (executions) =>
      call('keep only', () => {
        for (const execution of spool.keys()) if (!executions.includes(execution)) forget(execution);
      }),
  };
}

function getSimSpool({ disk: { spools } }: SimWorld, session: string): Map<string, SpooledResult> {
  let folder = spools.get(session);
  if (folder === undefined) spools.set(session, (folder = new Map()));
  return folder;
}
