import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { getMetadataText, type SessionSummary, type Store } from '@pawl/runtime/store';
import { UsageError } from '../output/exit-codes.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { truncateColumns } from '../output/columns.ts';

/** Maximum number of sessions that an error message names; the rest are counted. */
const maxShownCandidates = 5;

/** Minimum prefix length, so that a prefix someone noted down stays unique for a while. */
const minIdPrefix = 8;

/** Finds a session by its id, a unique id prefix, or `last` for the newest session of a folder. */
export async function findSession(store: Store, name: string, dir: string): Promise<SessionSummary> {
  const all = await listAllSessions(store);
  const exact = all.find(({ id }) => id === name);
  if (exact !== undefined) return exact;
  if (name === 'last') return findNewestSession(all, dir);
  const matches = name === '' ? [] : all.filter(({ id }) => id.startsWith(name));
  const [only, another] = matches;
  if (only === undefined) throw createUnknownSessionError(name, all);
  if (another === undefined) return only;
  throw new UsageError(
    `${quoteTruncated(name)} matches ${matches.length} session ids: ${formatCandidates(matches, all)}. Use a longer prefix.`,
  );
}

/** Lists all sessions, most recently active first. */
export function listAllSessions(store: Store): Promise<readonly SessionSummary[]> {
  return store.list({ limit: Number.MAX_SAFE_INTEGER });
}

/** Returns the shortest unique prefix of each id. */
export function computeShortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(
        countSharedPrefix(id, sorted[index - 1]),
        countSharedPrefix(id, sorted[index + 1]),
      );
      const short = id.slice(0, Math.max(minIdPrefix, shared + 1));
      return [id, short.isWellFormed() ? short : id];
    }),
  );
}

/** Returns whether a session worked in this folder; a session without a recorded folder is in none. */
export function isSessionInFolder({ metadata }: Pick<SessionSummary, 'metadata'>, dir: string): boolean {
  return getMetadataText(metadata, 'dir') === resolveRealFolder(dir);
}

/** Selects the sessions of a folder, or, with `all`, of every folder. */
export function selectSessions(
  sessions: readonly SessionSummary[],
  { dir, all }: { readonly dir: string; readonly all?: boolean | undefined },
): readonly SessionSummary[] {
  return all === true ? sessions : sessions.filter((session) => isSessionInFolder(session, dir));
}

function findNewestSession(all: readonly SessionSummary[], dir: string): SessionSummary {
  const newest = all.find((session) => isSessionInFolder(session, dir));
  if (newest !== undefined) return newest;
  const elsewhere =
    all.length === 0 ? '' : ` To list the ${all.length} sessions of other folders: pawl sessions --all`;
  throw new UsageError(`No session has run in ${quoteTruncated(resolveRealFolder(dir))} yet.${elsewhere}`);
}

function createUnknownSessionError(name: string, all: readonly SessionSummary[]): UsageError {
  const hint =
    all.length === 0
      ? 'There are no sessions yet; start one with pawl run.'
      : `The newest are ${formatCandidates(all, all)}; pawl sessions --all lists all of them.`;
  return new UsageError(`There is no session ${quoteTruncated(name)}. ${hint}`);
}

function formatCandidates(candidates: readonly SessionSummary[], all: readonly SessionSummary[]): string {
  const shortIds = computeShortIds(all.map(({ id }) => id));
  const shown = candidates
    .slice(0, maxShownCandidates)
    .map(
      ({ id, goal }) =>
        `${sanitizeOneLine(shortIds.get(id) ?? id)} (${truncateColumns(goal ?? 'no goal yet', 40)})`,
    );
  const rest = candidates.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function countSharedPrefix(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}

/** Resolves a folder's real path, which is the form that sessions record. */
export function resolveRealFolder(dir: string): string {
  try {
    return realpathSync.native(dir);
  } catch {
    // A deleted folder keeps the path it had.
    return resolve(dir);
  }
}

function quoteTruncated(text: string): string {
  return JSON.stringify(truncateColumns(text, 100));
}
