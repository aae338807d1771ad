/** The session views, in tab order. */
export const viewNames = ['transcript', 'events', 'chart', 'timeline', 'why', 'governor', 'memory'] as const;

export type ViewName = (typeof viewNames)[number];

/** The route in the URL. `at` is the number of the selected event; null for the latest one. */
export type PageRoute =
  | { readonly page: 'runs' | 'approvals' | 'fleet' | 'import' | 'compare'; readonly query: URLSearchParams }
  | {
      readonly page: 'session' | 'imported';
      readonly id: string;
      readonly view: ViewName;
      readonly at: number | null;
    }
  | { readonly page: 'unknown'; readonly path: string };

const pageNames = ['approvals', 'fleet', 'import', 'compare'] as const;

/** Parses a hash such as `#/s/<id>/events?at=7`. */
export function parsePageRoute(hash: string): PageRoute {
  const [path = '', search = ''] = splitAtFirst(hash.replace(/^#/u, ''), '?');
  const query = new URLSearchParams(search);
  const parts = path.split('/').filter((part) => part !== '');
  const [first] = parts;
  if (first === undefined) return { page: 'runs', query };
  const page = pageNames.find((name) => name === first);
  if (page !== undefined && parts.length === 1) return { page, query };
  return parseSessionRoute(parts, query) ?? { page: 'unknown', path };
}

function parseSessionRoute(parts: readonly string[], query: URLSearchParams): PageRoute | null {
  const [letter = '', id = '', view = 'transcript'] = parts;
  const page = letter === 's' ? 'session' : letter === 'i' ? 'imported' : null;
  const name = viewNames.find((known) => known === view);
  const decodedId = decodeUriPart(id);
  if (page === null || name === undefined || decodedId === null || parts.length > 3) return null;
  return { page, id: decodedId, view: name, at: parseEventParameter(query) };
}

/** Formats the address of a session view. */
export function formatSessionAddress(
  to: { readonly page?: 'session' | 'imported'; readonly id: string },
  view: ViewName = 'transcript',
  at: number | null = null,
): string {
  const letter = to.page === 'imported' ? 'i' : 's';
  return `#/${letter}/${encodeURIComponent(to.id)}/${view}${at === null ? '' : `?at=${at}`}`;
}

function parseEventParameter(query: URLSearchParams): number | null {
  const text = query.get('at');
  if (text === null || !/^\d{1,15}$/u.test(text)) return null;
  return Number(text);
}

function splitAtFirst(text: string, separator: string): readonly string[] {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decodeUriPart(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
