import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildExpectedLog, inspectDisk, type ExpectedLog } from './sqlite-io-faults-oracle.ts';
import { isSoak, createMemoryFolder, spawnTraced } from './sqlite-io-faults-tracing.ts';

const appenderScript = fileURLToPath(new URL('fixtures/recorded-appender.ts', import.meta.url));

/** Two steps: a message, a reply with a call that is started and finished, and all but the message once more. */
const eventCount = 7;
/** The log goes over into the file several times meanwhile. */
const settings = 'PRAGMA wal_autocheckpoint = 12';

type FaultRun = {
  readonly path: string;
  /** The last event that was said to be kept; -1 when there was not even a session. */
  readonly saidLast: number;
  readonly errorText: string;
  readonly exit: number | null;
  readonly trace: readonly string[];
};

/** Runs the work in a new folder. `inject` says which call fails, and how. */
async function runAppender(folder: string, inject: string | null): Promise<FaultRun> {
  const [path, trace] = [`${folder}/new/sessions.db`, `${folder}/trace`];
  const ofOurs = [`${folder}/new`, path, `${path}-wal`, `${path}-journal`].flatMap((each) => ['-P', each]);
  const what = [
    '-e',
    `trace=${tracedCalls.join(',')},close`,
    ...(inject === null ? [] : ['-e', `inject=${inject}`]),
  ];
  const child = spawnTraced(
    ['-y', '-s', '0', ...ofOurs, ...what, '-o', trace],
    appenderScript,
    path,
    String(eventCount),
    settings,
  );
  const [said, errorText, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done) => child.once('exit', done)),
  ]);
  const numbers = said.split('\n').slice(0, -1).map(Number);
  const lines = readFileSync(trace, 'utf8').split('\n');
  return { path, saidLast: numbers.at(-1) ?? -1, errorText, exit, trace: lines };
}

const tracedCalls = ['fsync', 'pwrite64', 'ftruncate', 'unlink', 'openat'] as const;

type InjectedFault = {
  readonly call: string;
  readonly what: string;
  readonly place: number;
  readonly isLasting: boolean;
};

const faultKinds = [
  { what: 'error=EIO', isLasting: false },
  { what: 'error=ENOSPC', isLasting: false },
  { what: 'error=EIO', isLasting: true },
  { what: 'error=ENOSPC', isLasting: true },
  { what: 'signal=SIGKILL', isLasting: false },
];

/** Every call that is made to the files of the store, failing in every way. */
async function listAllFaults(): Promise<readonly InjectedFault[]> {
  using folder = createMemoryFolder();
  const { trace, saidLast } = await runAppender(folder.root, null);
  expect(saidLast).toBe(eventCount);
  return tracedCalls.flatMap((call) => {
    const count = trace.filter((line) => line.includes(` ${call}(`)).length;
    const places = Array.from({ length: count }, (_, index) => index + 1);
    return places.flatMap((place) => faultKinds.map((kind) => ({ call, place, ...kind })));
  });
}

/** What went wrong; null when everything is as promised. */
async function testFault(
  { call, what, place, isLasting }: InjectedFault,
  expected: ExpectedLog,
): Promise<string | null> {
  using folder = createMemoryFolder();
  const inject = `${call}:${what}:when=${place}${isLasting ? '+' : ''}`;
  const { path, saidLast, errorText, exit, trace } = await runAppender(folder.root, inject);
  const isKilled = what === 'signal=SIGKILL';
  const sign = isKilled ? 'killed by SIGKILL +++' : '(INJECTED)';
  if (!trace.some((line) => line.endsWith(sign)))
    return `${inject}: nothing failed, and it ended with ${String(exit)} after ${saidLast}: ${errorText}`;
  // A failure that passes is got over without a loss, once there is a session; all others are told of.
  const isGotOver = exit === 0 && saidLast === eventCount;
  const isTold = exit === 1 && errorText.includes('StoreError: ');
  if (!isKilled && !isGotOver && !(isTold && (isLasting || saidLast < 0)))
    return `${inject}: ended with ${String(exit)} after ${saidLast}: ${errorText}`;
  const found = await inspectDisk(path, saidLast, expected);
  return found === 'sound' ? null : `${inject}: ${found}`;
}

describe('a store whose disk fails', { tags: ['strace'] }, () => {
  it('has every acknowledged event, whichever system call fails', { timeout: 3_600_000 }, async () => {
    const expected = await buildExpectedLog(eventCount);
    const all = await listAllFaults();
    expect(all.length).toBeGreaterThan(500);
    const chosen = isSoak ? all : all.filter((_, index) => index % Math.ceil(all.length / 20) === 0);
    const wrong: string[] = [];
    const queue = [...chosen];
    const worker = async (): Promise<void> => {
      for (let fault = queue.pop(); fault !== undefined; fault = queue.pop()) {
        const problem = await testFault(fault, expected);
        if (problem !== null) wrong.push(problem);
      }
    };
    await Promise.all([worker(), worker()]);
    console.log(`failing calls: ${chosen.length} of ${all.length} tried, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['fsync', 'error=EIO', 'closed'],
    ['pwrite64', 'error=EIO', 'closed'],
    ['pwrite64', 'error=ENOSPC', 'kept'],
  ])('after %s failed by %s, the handle is %s', async (call, what, handleState) => {
    using first = createMemoryFolder();
    using second = createMemoryFolder();
    const place = findLastCommit((await runAppender(first.root, null)).trace, call);
    const { saidLast, trace } = await runAppender(second.root, `${call}:${what}:when=${place}`);
    expect(saidLast).toBe(eventCount);
    const failed = trace.findIndex((line) => line.includes('-wal>') && line.endsWith('(INJECTED)'));
    const reopened = trace.findIndex(
      (line, index) => index > failed && / openat\(.*O_RDWR.*sessions\.db>$/.test(line),
    );
    expect(failed).toBeGreaterThan(0);
    expect(reopened > 0).toBe(handleState === 'closed');
    // Of the log nothing more is written by the old handle, and its file is closed before it is opened again.
    const between = trace.slice(failed + 1, Math.max(failed + 1, reopened));
    expect(between.filter((line) => / pwrite64\(.*-wal>/.test(line))).toEqual([]);
    expect(between.some((line) => / close\(.*sessions\.db>/.test(line))).toBe(handleState === 'closed');
  });
});

/** The place, among all such calls, of one by which an event is added to the log, near the end. */
function findLastCommit(trace: readonly string[], call: string): number {
  let place = 0;
  const commits = trace.flatMap((line, index) => {
    if (!line.includes(` ${call}(`)) return [];
    place += 1;
    const isInLog = line.includes('-wal>') && / pwrite64\(.*-wal>/.test(trace[index - 1] ?? '');
    return isInLog ? [place] : [];
  });
  return commits.at(-3) ?? 0;
}
