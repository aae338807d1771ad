import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  buildExpectedLog,
  inspectDisk,
  type ExpectedLog,
  type DiskVerdict,
} from './sqlite-io-faults-oracle.ts';
import { isSoak, createMemoryFolder } from './sqlite-io-faults-tracing.ts';
import { writeDiskImage, createCrashImage, createSeededRandom } from './sqlite-power-loss-images.ts';
import { recordOperations, type FileOperation } from './sqlite-power-loss-recording.ts';

const appenderScript = fileURLToPath(new URL('fixtures/recorded-appender.ts', import.meta.url));

/** Small enough that the log is checkpointed and restarted every few events. */
const frequentCheckpointPragma = 'PRAGMA wal_autocheckpoint = 27';
const eventCount = 160;
/** More than the log holds before it goes over by itself. */
const usualCount = 400;
const healedCount = 40;

type WorkRecording = { readonly root: string; readonly operations: readonly FileOperation[] };

async function recordWork(count: number, settings: string, inject?: string): Promise<WorkRecording> {
  using folder = createMemoryFolder();
  const args = [folder.at('new/sessions.db'), String(count), settings];
  const failing = inject === undefined ? {} : { inject };
  const operations = await recordOperations({ root: folder.root, script: appenderScript, args, ...failing });
  return { root: folder.root, operations };
}

type CrashLosses = { readonly lost: readonly number[]; readonly corrupt: readonly number[] };

/** Lets the power fail once for each seed, at a moment that is as likely as any other, and looks at what is there then. */
async function inspectCrashImages(
  recording: WorkRecording,
  count: number,
  expected: ExpectedLog,
): Promise<CrashLosses> {
  using folder = createMemoryFolder();
  const found: Record<DiskVerdict, number[]> = { sound: [], lost: [], corrupt: [] };
  for (let seed = 1; seed <= count; seed += 1) {
    const random = createSeededRandom(seed);
    const done = recording.operations.slice(0, Math.floor(random() * (recording.operations.length + 1)));
    const disk = folder.at(String(seed));
    writeDiskImage(createCrashImage(done, random), recording.root, disk);
    const result = await inspectDisk(`${disk}/new/sessions.db`, findLastReported(done), expected).catch(
      () => 'corrupt' as const,
    );
    found[result].push(seed);
    rmSync(disk, { recursive: true, force: true });
  }
  return found;
}

function findLastReported(operations: readonly FileOperation[]): number {
  const last = operations.findLast(({ type }) => type === 'said');
  return last?.type === 'said' ? Number(last.text) : -1;
}

/** The places, counted among all syncs, of those of files once there is a session. */
function listWorkSyncs({ operations }: WorkRecording): readonly number[] {
  const firstReport = operations.findIndex(({ type }) => type === 'said');
  let place = 0;
  return operations.flatMap(({ type }, index) => {
    if (type === 'synced' || type === 'folder-synced') place += 1;
    return type === 'synced' && index > firstReport ? [place] : [];
  });
}

function printLosses(what: string, count: number, { lost, corrupt }: CrashLosses): void {
  console.log(`${what}: ${count} images, ${lost.length} lost an event, ${corrupt.length} corrupt`);
}

describe('a store after a power loss', { tags: ['strace'] }, () => {
  it('has every acknowledged event, and an intact chain', { timeout: 3_600_000 }, async () => {
    const recording = await recordWork(eventCount, frequentCheckpointPragma);
    const count = isSoak ? 20_000 : 300;
    const figures = await inspectCrashImages(recording, count, await buildExpectedLog(eventCount));
    printLosses('power loss', count, figures);
    expect(figures).toMatchObject({ lost: [], corrupt: [] });
  });

  it('has them with a write-ahead log of the usual length too', { timeout: 3_600_000 }, async () => {
    const recording = await recordWork(usualCount, '');
    const count = isSoak ? 3_000 : 50;
    const figures = await inspectCrashImages(recording, count, await buildExpectedLog(usualCount));
    printLosses('power loss, long log', count, figures);
    expect(figures).toMatchObject({ lost: [], corrupt: [] });
  });

  it('has them even if the disk failed before', { timeout: 3_600_000 }, async () => {
    const expected = await buildExpectedLog(healedCount);
    const syncs = listWorkSyncs(await recordWork(healedCount, frequentCheckpointPragma));
    const places = isSoak ? syncs : syncs.filter((_, index) => index % 12 === 3);
    expect(places.length).toBeGreaterThan(2);
    const count = isSoak ? 200 : 40;
    const all: CrashLosses[] = [];
    for (const place of places) {
      const recording = await recordWork(
        healedCount,
        frequentCheckpointPragma,
        `fsync:error=EIO:when=${place}`,
      );
      expect(recording.operations.filter(({ type }) => type === 'sync-failed')).toHaveLength(1);
      all.push(await inspectCrashImages(recording, count, expected));
    }
    const lost = all.flatMap((figures) => figures.lost);
    const corrupt = all.flatMap((figures) => figures.corrupt);
    printLosses('power loss after a failed sync', places.length * count, { lost, corrupt });
    expect({ lost, corrupt }).toEqual({ lost: [], corrupt: [] });
  });

  it('would lose some without syncing, which shows that the test is strict enough', async () => {
    const recording = await recordWork(eventCount, 'PRAGMA synchronous = NORMAL');
    const figures = await inspectCrashImages(recording, 60, await buildExpectedLog(eventCount));
    printLosses('power loss without waiting', 60, figures);
    expect(figures.lost.length).toBeGreaterThan(30);
  });
});
