import { viewNames, type ViewName } from './view-names.ts';

/** What the address says is looked at. `at` is the number of an event; null for the newest. */
export type Route =
  | { readonly page: 'runs' | 'approvals' | 'fleet' | 'import' | 'compare'; readonly query: URLSearchParams }
  | {
      readonly page: 'session' | 'imported';
      readonly id: string;
      readonly view: ViewName;
      readonly at: number | null;
    }
  | { readonly page: 'unknown'; readonly path: string };

const pages = ['approvals', 'fleet', 'import', 'compare'] as const;

/** Reads an address such as `#/s/<id>/events?at=7`. */
export function readRoute(hash: string): Route {
  const [path = '', search = ''] = split(hash.replace(/^#/u, ''), '?');
  const query = new URLSearchParams(search);
  const parts = path.split('/').filter((part) => part !== '');
  const [first] = parts;
  if (first === undefined) return { page: 'runs', query };
  const page = pages.find((name) => name === first);
  if (page !== undefined && parts.length === 1) return { page, query };
  return sessionRoute(parts, query) ?? { page: 'unknown', path };
}

function sessionRoute(parts: readonly string[], query: URLSearchParams): Route | null {
  const [letter = '', id = '', view = 'transcript'] = parts;
  const page = letter === 's' ? 'session' : letter === 'i' ? 'imported' : null;
  const name = viewNames.find((known) => known === view);
  const readable = decoded(id);
  if (page === null || name === undefined || readable === null || parts.length > 3) return null;
  return { page, id: readable, view: name, at: readAt(query) };
}

/** The address of a view on a session. */
export function sessionAddress(
  to: { readonly page?: 'session' | 'imported'; readonly id: string },
  view: ViewName = 'transcript',
  at: number | null = null,
): string {
  const letter = to.page === 'imported' ? 'i' : 's';
  return `#/${letter}/${encodeURIComponent(to.id)}/${view}${at === null ? '' : `?at=${at}`}`;
}

function readAt(query: URLSearchParams): number | null {
  const text = query.get('at');
  if (text === null || !/^\d{1,15}$/u.test(text)) return null;
  return Number(text);
}

function split(text: string, mark: string): readonly string[] {
  const place = text.indexOf(mark);
  return place === -1 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
