import type {
  Approval,
  EventsPage,
  Fleet,
  Imports,
  CreateSession,
  Prompt,
  Command,
  SessionDetail,
  SessionList,
  Shelf,
} from './api-types.ts';

/** What the server has to say, and what it can be asked to do. Whatever goes wrong rejects with an `ApiError`. */
export type Api = {
  sessions(filter?: SessionFilter, signal?: AbortSignal): Promise<SessionList>;
  session(id: string, signal?: AbortSignal): Promise<SessionDetail>;
  events(
    id: string,
    page?: { readonly after?: number; readonly limit?: number },
    signal?: AbortSignal,
  ): Promise<EventsPage>;
  prompt(id: string, at: number, signal?: AbortSignal): Promise<Prompt>;
  memory(
    id: string,
    search?: { readonly q?: string; readonly limit?: number },
    signal?: AbortSignal,
  ): Promise<Shelf>;
  approvals(signal?: AbortSignal): Promise<{ readonly approvals: readonly Approval[] }>;
  fleet(signal?: AbortSignal): Promise<Fleet>;
  create(session: CreateSession): Promise<{ readonly id: string }>;
  command(id: string, command: Command): Promise<{ readonly id: string }>;
  fork(id: string, at: number): Promise<{ readonly id: string }>;
  /** `rule` says which verdict is meant, where an event brought several; null takes a mark back. */
  mark(
    id: string,
    verdict: { readonly seq: number; readonly rule: string },
    mark: 'right' | 'wrong' | null,
  ): Promise<void>;
  importFile(name: string, body: Blob | string, signal?: AbortSignal): Promise<Imports>;
  /** The address of a path of the API, for links and for copying. */
  address(path: string): string;
};

export type SessionFilter = {
  readonly limit?: number;
  readonly cursor?: string;
  readonly status?: string;
  readonly q?: string;
};

/** `code` is one of the server's, or `offline` when no answer came at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

type Query = { readonly [key: string]: string | number | undefined };

const base = '/api/v1';

export const api: Api = {
  sessions: (filter, signal) => get('/sessions', signal, filter),
  session: (id, signal) => get(`/sessions/${part(id)}`, signal),
  events: (id, page, signal) => get(`/sessions/${part(id)}/events`, signal, page),
  prompt: (id, at, signal) => get(`/sessions/${part(id)}/prompt`, signal, { at }),
  memory: (id, search, signal) => get(`/sessions/${part(id)}/memory`, signal, search),
  approvals: (signal) => get('/approvals', signal),
  fleet: (signal) => get('/fleet', signal),
  create: (session) => post('/sessions', session),
  command: (id, command) => post(`/sessions/${part(id)}/commands`, { requestId: requestId(), ...command }),
  fork: (id, at) => post(`/sessions/${part(id)}/fork`, { requestId: requestId(), at }),
  mark: async (id, { seq, rule }, mark) => {
    await post(`/sessions/${part(id)}/verdicts/${seq}`, { mark, rule });
  },
  importFile: (name, body, signal) =>
    call(`/imports?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      body,
      headers: { 'X-Pawl': '1', 'Content-Type': 'application/octet-stream' },
      ...(signal !== undefined && { signal }),
    }),
  address: (path) => `${location.origin}${base}${path}`,
};

/** A name for something that is asked for once, however often the request is sent. */
export function requestId(): string {
  return crypto.randomUUID();
}

function get<Answer>(path: string, signal?: AbortSignal, query: Query = {}): Promise<Answer> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return call(search === '' ? path : `${path}?${search}`, signal === undefined ? {} : { signal });
}

function post<Answer>(path: string, body: object): Promise<Answer> {
  return call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'X-Pawl': '1', 'Content-Type': 'application/json' },
  });
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${base}${path}`, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(
      'offline',
      'The dashboard server does not answer.',
      'Is `pawl dashboard` still running?',
    );
  });
  if (!response.ok) throw await errorOf(response);
  // The server's own schemas say what comes; both are built from the same files.
  return (await response.json()) as Answer;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === 'object' && body !== null && 'error' in body) {
    const { error } = body;
    if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
      const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
      return new ApiError(String(error.code), String(error.message), hint);
    }
  }
  return new ApiError('internal', `The server answered ${response.status} ${response.statusText}.`);
}

function part(id: string): string {
  return encodeURIComponent(id);
}
