import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectedWork, look, type Expected, type Found } from './sqlite-io-faults-oracle.ts';
import { isLong, noTracing, quickFolder } from './sqlite-io-faults-tracing.ts';
import { develop, imageAfter, randomFrom } from './sqlite-power-loss-images.ts';
import { record, type Operation } from './sqlite-power-loss-recording.ts';

const appender = fileURLToPath(new URL('fixtures/recorded-appender.ts', import.meta.url));

/** So small that the log goes over into the file and begins anew every few events, and is in the middle of it often. */
const oftenOver = 'PRAGMA wal_autocheckpoint = 27';
const eventCount = 160;
/** More than the log holds before it goes over by itself. */
const usualCount = 400;
const healedCount = 40;

type Recording = { readonly root: string; readonly operations: readonly Operation[] };

async function recordWork(count: number, settings: string, inject?: string): Promise<Recording> {
  using folder = quickFolder();
  const args = [folder.at('new/sessions.db'), String(count), settings];
  const failing = inject === undefined ? {} : { inject };
  const operations = await record({ root: folder.root, script: appender, args, ...failing });
  return { root: folder.root, operations };
}

type Figures = { readonly lost: readonly number[]; readonly corrupt: readonly number[] };

/** Lets the power fail once for each seed, at a moment that is as likely as any other, and looks at what is there then. */
async function lookAtImages(recording: Recording, count: number, expected: Expected): Promise<Figures> {
  using folder = quickFolder();
  const found: Record<Found, number[]> = { sound: [], lost: [], corrupt: [] };
  for (let seed = 1; seed <= count; seed += 1) {
    const random = randomFrom(seed);
    const done = recording.operations.slice(0, Math.floor(random() * (recording.operations.length + 1)));
    const disk = folder.at(String(seed));
    develop(imageAfter(done, random), recording.root, disk);
    const result = await look(`${disk}/new/sessions.db`, saidLastIn(done), expected).catch(
      () => 'corrupt' as const,
    );
    found[result].push(seed);
    rmSync(disk, { recursive: true, force: true });
  }
  return found;
}

function saidLastIn(operations: readonly Operation[]): number {
  const last = operations.findLast(({ type }) => type === 'said');
  return last?.type === 'said' ? Number(last.text) : -1;
}

/** The places, counted among all syncs, of those of files once there is a session. */
function syncsAtWork({ operations }: Recording): readonly number[] {
  const begin = operations.findIndex(({ type }) => type === 'said');
  let place = 0;
  return operations.flatMap(({ type }, index) => {
    if (type === 'synced' || type === 'folder-synced') place += 1;
    return type === 'synced' && index > begin ? [place] : [];
  });
}

function print(what: string, count: number, { lost, corrupt }: Figures): void {
  console.log(`${what}: ${count} images, ${lost.length} lost an event, ${corrupt.length} corrupt`);
}

describe.skipIf(noTracing !== null)('a store whose power fails', () => {
  it('has every event that was said to be kept, and every link holds', { timeout: 3_600_000 }, async () => {
    const recording = await recordWork(eventCount, oftenOver);
    const count = isLong ? 20_000 : 300;
    const figures = await lookAtImages(recording, count, await expectedWork(eventCount));
    print('power loss', count, figures);
    expect(figures).toMatchObject({ lost: [], corrupt: [] });
  });

  it('has them with a log of the usual length too', { timeout: 3_600_000 }, async () => {
    const recording = await recordWork(usualCount, '');
    const count = isLong ? 3_000 : 50;
    const figures = await lookAtImages(recording, count, await expectedWork(usualCount));
    print('power loss, long log', count, figures);
    expect(figures).toMatchObject({ lost: [], corrupt: [] });
  });

  it('has them even where the disk failed before that', { timeout: 3_600_000 }, async () => {
    const expected = await expectedWork(healedCount);
    const syncs = syncsAtWork(await recordWork(healedCount, oftenOver));
    const places = isLong ? syncs : syncs.filter((_, index) => index % 12 === 3);
    expect(places.length).toBeGreaterThan(2);
    const count = isLong ? 200 : 40;
    const all: Figures[] = [];
    for (const place of places) {
      const recording = await recordWork(healedCount, oftenOver, `fsync:error=EIO:when=${place}`);
      expect(recording.operations.filter(({ type }) => type === 'sync-failed')).toHaveLength(1);
      all.push(await lookAtImages(recording, count, expected));
    }
    const lost = all.flatMap((figures) => figures.lost);
    const corrupt = all.flatMap((figures) => figures.corrupt);
    print('power loss after a failed sync', places.length * count, { lost, corrupt });
    expect({ lost, corrupt }).toEqual({ lost: [], corrupt: [] });
  });

  it('would lose some if it did not wait for the disk, which shows that the images are hard enough', async () => {
    const recording = await recordWork(eventCount, 'PRAGMA synchronous = NORMAL');
    const figures = await lookAtImages(recording, 60, await expectedWork(eventCount));
    print('power loss without waiting', 60, figures);
    expect(figures.lost.length).toBeGreaterThan(30);
  });
});
