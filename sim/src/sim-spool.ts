import type { ExecutionSpool } from '@pawl/runtime/store';
import { drawDiskDelay, performPortCall } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

export type SpooledResult = { result: string | null; output: string };

/** Stores results of calls until the log contains them. A result is visible once written, before `saveResult` resolves. */
export function createSimSpool(world: SimWorld, driver: SessionDriver): ExecutionSpool {
  const { oracle } = world;
  const spool = getSimSpool(world, driver.session);
  const caller = { process: driver.process.name, kind: 'spool' };
  const call = <Result>(name: string, perform: () => Result): Promise<Result> =>
    performPortCall(world, caller, { name, inMs: drawDiskDelay(world, 'spool') }, async () => {
      if (world.faults.shouldFail('spool-error', name)) throw new Error('EIO: the spool cannot be used');
      return perform();
    });
  const getEntry = (execution: string): SpooledResult => {
    let entry = spool.get(execution);
    if (entry === undefined) spool.set(execution, (entry = { result: null, output: '' }));
    return entry;
  };
  const removeEntry = (execution: string): void => {
    oracle.onRemoved(driver, execution);
    spool.delete(execution);
  };
  return {
    saveResult: (execution, result) =>
      call('keep', () => {
        const text = JSON.stringify(result);
        getEntry(execution).result = text;
        oracle.onSpooled(execution, text);
      }),
    appendOutput(execution, chunk) {
      getEntry(execution).output += new TextDecoder().decode(chunk);
    },
    find: (execution) =>
      call('find', () => {
        const { result = null, output = null } = spool.get(execution) ?? {};
        if (result === null) oracle.onSpoolMiss(execution);
        return { result: result === null ? null : JSON.parse(result), output };
      }).catch((error: unknown) => {
        oracle.onSpoolMiss(execution);
        throw error;
      }),
    remove: (execution) => call('forget', () => removeEntry(execution)),
    retainOnly: (executions) =>
      call('keep only', () => {
        for (const execution of spool.keys()) if (!executions.includes(execution)) removeEntry(execution);
      }),
  };
}

function getSimSpool({ disk: { spools } }: SimWorld, session: string): Map<string, SpooledResult> {
  let folder = spools.get(session);
  if (folder === undefined) spools.set(session, (folder = new Map()));
  return folder;
}
