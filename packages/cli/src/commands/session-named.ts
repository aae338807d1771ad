import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { textAbout, type SessionSummary, type Store } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { fit } from './columns.ts';

/** How many sessions an error message names before it only counts. */
const candidatesShown = 5;

/** Prefixes are no shorter than this, so that one that was noted down stays good for a while. */
const prefixMin = 8;

/** The session that a word means: its id, a beginning of it that no other has, or `last` for the newest of a folder. */
export async function sessionNamed(store: Store, word: string, dir: string): Promise<SessionSummary> {
  const all = await allSessions(store);
  const exact = all.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  if (word === 'last') return newestIn(all, dir);
  const meant = word === '' ? [] : all.filter(({ id }) => id.startsWith(word));
  const [only, another] = meant;
  if (only === undefined) throw unknown(word, all);
  if (another === undefined) return only;
  throw new UsageError(
    `${quoted(word)} is the beginning of ${meant.length} ids: ${candidates(meant, all)}. Give more of the one you mean.`,
  );
}

/** Every session there is, those last worked on first. */
export function allSessions(store: Store): Promise<readonly SessionSummary[]> {
  return store.list({ limit: Number.MAX_SAFE_INTEGER });
}

/** For each id the shortest beginning that no other id has. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(sharedLength(id, sorted[index - 1]), sharedLength(id, sorted[index + 1]));
      const short = id.slice(0, Math.max(prefixMin, shared + 1));
      return [id, short.isWellFormed() ? short : id];
    }),
  );
}

/** Whether a session worked in this folder. One that does not say where it worked is at home in none. */
export function worksIn({ about }: Pick<SessionSummary, 'about'>, dir: string): boolean {
  return textAbout(about, 'dir') === realFolder(dir);
}

/** The sessions that are meant: those of a folder, or with `all` those of every folder. */
export function sessionsMeant(
  sessions: readonly SessionSummary[],
  { dir, all }: { readonly dir: string; readonly all?: boolean | undefined },
): readonly SessionSummary[] {
  return all === true ? sessions : sessions.filter((session) => worksIn(session, dir));
}

function newestIn(all: readonly SessionSummary[], dir: string): SessionSummary {
  const newest = all.find((session) => worksIn(session, dir));
  if (newest !== undefined) return newest;
  const elsewhere = all.length === 0 ? '' : ` There are ${all.length} elsewhere: pawl sessions --all.`;
  throw new UsageError(`No session has worked in ${quoted(realFolder(dir))} yet.${elsewhere}`);
}

function unknown(word: string, all: readonly SessionSummary[]): UsageError {
  const hint =
    all.length === 0
      ? 'There are no sessions yet: pawl run begins one.'
      : `The newest are ${candidates(all, all)}; pawl sessions --all lists them all.`;
  return new UsageError(`There is no session ${quoted(word)}. ${hint}`);
}

function candidates(some: readonly SessionSummary[], all: readonly SessionSummary[]): string {
  const short = shortIds(all.map(({ id }) => id));
  const shown = some
    .slice(0, candidatesShown)
    .map(({ id, goal }) => `${visibleLine(short.get(id) ?? id)} (${fit(goal ?? 'no goal yet', 40)})`);
  const rest = some.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function sharedLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

/** The path of a folder with its links followed, as sessions write it down. */
export function realFolder(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    // A folder that is gone is still known by the name it had.
    return resolve(dir);
  }
}

function quoted(text: string): string {
  return JSON.stringify(fit(text, 100));
}
