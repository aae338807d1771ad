import type {
  ApprovalRequest,
  EventsPage,
  FleetStatus,
  ImportResult,
  CreateSessionRequest,
  ModelPrompt,
  CommandRequest,
  SessionDetail,
  SessionList,
  StoredMemory,
} from './api-types.ts';

/** Client of the HTTP API. Every failure rejects with an `ApiRequestError`. */
export type ApiClient = {
  sessions(filter?: SessionFilter, signal?: AbortSignal): Promise<SessionList>;
  session(id: string, signal?: AbortSignal): Promise<SessionDetail>;
  events(
    id: string,
    page?: { readonly after?: number; readonly limit?: number },
    signal?: AbortSignal,
  ): Promise<EventsPage>;
  prompt(id: string, at: number, signal?: AbortSignal): Promise<ModelPrompt>;
  memory(
    id: string,
    search?: { readonly q?: string; readonly limit?: number },
    signal?: AbortSignal,
  ): Promise<StoredMemory>;
  approvals(signal?: AbortSignal): Promise<{ readonly approvals: readonly ApprovalRequest[] }>;
  fleet(signal?: AbortSignal): Promise<FleetStatus>;
  create(session: CreateSessionRequest): Promise<{ readonly id: string }>;
  command(id: string, command: CommandRequest): Promise<{ readonly id: string }>;
  fork(id: string, at: number): Promise<{ readonly id: string }>;
  /** `rule` selects the verdict if an event has several; a mark of null removes the feedback. */
  mark(
    id: string,
    verdict: { readonly seq: number; readonly rule: string },
    mark: 'right' | 'wrong' | null,
  ): Promise<void>;
  importFile(name: string, body: Blob | string, signal?: AbortSignal): Promise<ImportResult>;
  /** Returns the URL of an API path, for links and for copying. */
  address(path: string): string;
};

export type SessionFilter = {
  readonly limit?: number;
  readonly cursor?: string;
  readonly status?: string;
  readonly q?: string;
};

/** `code` is one of the server's error codes, or `offline` if there was no response. */
export class ApiRequestError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

type QueryParameters = { readonly [key: string]: string | number | undefined };

const apiBasePath = '/api/v1';

export const apiClient: ApiClient = {
  sessions: (filter, signal) => fetchJson('/sessions', signal, filter),
  session: (id, signal) => fetchJson(`/sessions/${encodePathPart(id)}`, signal),
  events: (id, page, signal) => fetchJson(`/sessions/${encodePathPart(id)}/events`, signal, page),
  prompt: (id, at, signal) => fetchJson(`/sessions/${encodePathPart(id)}/prompt`, signal, { at }),
  memory: (id, search, signal) => fetchJson(`/sessions/${encodePathPart(id)}/memory`, signal, search),
  approvals: (signal) => fetchJson('/approvals', signal),
  fleet: (signal) => fetchJson('/fleet', signal),
  create: (session) => postJson('/sessions', session),
  command: (id, command) =>
    postJson(`/sessions/${encodePathPart(id)}/commands`, { requestId: createRequestId(), ...command }),
  fork: (id, at) => postJson(`/sessions/${encodePathPart(id)}/fork`, { requestId: createRequestId(), at }),
  mark: async (id, { seq, rule }, mark) => {
    await postJson(`/sessions/${encodePathPart(id)}/verdicts/${seq}`, { mark, rule });
  },
  importFile: (name, body, signal) =>
    requestJson(`/imports?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      body,
      headers: { 'X-Pawl': '1', 'Content-Type': 'application/octet-stream' },
      ...(signal !== undefined && { signal }),
    }),
  address: (path) => `${location.origin}${apiBasePath}${path}`,
};

/** Creates an idempotency key: a request repeated with the same id takes effect once. */
export function createRequestId(): string {
  return crypto.randomUUID();
}

function fetchJson<Answer>(path: string, signal?: AbortSignal, query: QueryParameters = {}): Promise<Answer> {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(present.map(([key, value]) => [key, String(value)])).toString();
  return requestJson(search === '' ? path : `${path}?${search}`, signal === undefined ? {} : { signal });
}

function postJson<Answer>(path: string, body: object): Promise<Answer> {
  return requestJson(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'X-Pawl': '1', 'Content-Type': 'application/json' },
  });
}

async function requestJson<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${apiBasePath}${path}`, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiRequestError(
      'offline',
      'The dashboard server does not respond.',
      'Is `pawl dashboard` still running?',
    );
  });
  if (!response.ok) throw await readResponseError(response);
  // The response is not validated: client and server are built from the same schemas.
  return (await response.json()) as Answer;
}

async function readResponseError(response: Response): Promise<ApiRequestError> {
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === 'object' && body !== null && 'error' in body) {
    const { error } = body;
    if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
      const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
      return new ApiRequestError(String(error.code), String(error.message), hint);
    }
  }
  return new ApiRequestError(
    'internal',
    `The server responded with ${response.status} ${response.statusText}.`,
  );
}

function encodePathPart(id: string): string {
  return encodeURIComponent(id);
}

/** Builds a curl command for the same request. It reads the token from the environment instead of containing it. */
export function buildCurlCommand(path: string, body?: object): string {
  const address = quoteCurlArgument(apiClient.address(path));
  const key = '-H "Authorization: Bearer $PAWL_DASHBOARD_TOKEN"';
  if (body === undefined) return `curl -s ${key} ${address}`;
  const json = quoteCurlArgument(JSON.stringify(body));
  return `curl -s -X POST ${key} -H 'X-Pawl: 1' -H 'Content-Type: application/json' -d ${json} ${address}`;
}

function quoteCurlArgument(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
