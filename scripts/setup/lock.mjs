import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFilePrefix } from './stamp.mjs';

const waitMs = 200;
const staleAfterMs = 60 * 60_000;

/** Concurrent npm installs in one folder corrupt it, so the second setup waits for the first. */
export function withLock(root, say, work) {
  const path = join(root, 'node_modules', `${ownFilePrefix}.lock`);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  for (let tries = 0; !take(path); tries += 1) {
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (isGone(holder)) {
      clear(path, holder.pid);
      continue;
    }
    if (tries === 0) say(`another set-up is running (process ${holder.pid}); waiting for it …`);
    sleep(waitMs);
  }
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(path) {
  try {
    return { pid: Number(readFileSync(path, 'utf8')), takenAt: statSync(path).mtimeMs };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// The age decides if the process id cannot, because another process may have the id by now, or the lock may belong
// to another container. An empty file (pid 0) is a lock that was just created.
function isGone({ pid, takenAt }) {
  if (Date.now() - takenAt > staleAfterMs) return true;
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

// Renaming succeeds for only one of several waiters. For the others, the file no longer exists, or it belongs to a
// new holder and is put back.
function clear(path, deadPid) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (Number(readFileSync(aside, 'utf8')) !== deadPid) renameSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  rmSync(aside, { force: true });
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
