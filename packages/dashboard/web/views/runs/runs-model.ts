import type { SessionListItem } from '../../app/api-types.ts';

/** Filter of the session list. It is part of the address, so that a view can be saved, linked and returned to. */
export type RunsFilter = { readonly show: RunsGroup; readonly q: string };

export const runsGroups = ['all', 'needs you', 'working', 'waiting', 'ended'] as const;

export type RunsGroup = (typeof runsGroups)[number];

export function parseRunsFilter(query: URLSearchParams): RunsFilter {
  const show = runsGroups.find((group) => group === query.get('show')) ?? 'all';
  return { show, q: query.get('q') ?? '' };
}

export function formatFilterAddress({ show, q }: RunsFilter): string {
  const query = new URLSearchParams();
  if (show !== 'all') query.set('show', show);
  if (q !== '') query.set('q', q);
  const search = query.toString();
  return search === '' ? '#/' : `#/?${search}`;
}

function getRunsGroup({ status, asks }: Pick<SessionListItem, 'status' | 'asks'>): RunsGroup {
  if (asks > 0 || status === 'awaitingPermission') return 'needs you';
  switch (status) {
    case 'waitingForUser':
      return 'waiting';
    case 'paused':
      return 'needs you';
    case 'halted':
    case 'shuttingDown':
    case 'damaged':
      return 'ended';
    default:
      return 'working';
  }
}

/** Searches the same fields as the server. */
export function matchesRunsFilter(row: SessionListItem, { show, q }: RunsFilter): boolean {
  if (show !== 'all' && getRunsGroup(row) !== show) return false;
  const words = q
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return true;
  const text = [row.goal, row.id, row.profile, row.model, row.dir].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

export function countRunsGroups(rows: readonly SessionListItem[]): Readonly<Record<RunsGroup, number>> {
  const counts = { all: rows.length, 'needs you': 0, working: 0, waiting: 0, ended: 0 };
  for (const row of rows) counts[getRunsGroup(row)] += 1;
  return counts;
}

export type SavedView = { readonly name: string; readonly address: string };

/** The content of the browser's storage is untrusted. */
export function parseSavedViews(text: string | null): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isSavedView).slice(0, savedViewsMax) : [];
  } catch {
    return [];
  }
}

const savedViewsMax = 50;

function isSavedView(value: unknown): value is SavedView {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'address' in value &&
    typeof value.address === 'string' &&
    value.address.startsWith('#/')
  );
}
