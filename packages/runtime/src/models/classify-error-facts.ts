/** Facts extracted from an error of any origin. */
export type ErrorFacts = {
  /** The HTTP status, or the one that the provider's error code corresponds to. */
  readonly status: number | null;
  /** Response headers by lowercase name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Names, types and codes of the error and its causes, in lowercase. */
  readonly codes: ReadonlySet<string>;
  /** All texts of the error in lowercase, truncated for searching. */
  readonly searchText: string;
  /** The most specific error message; may be empty. */
  readonly message: string;
};

/** Longer errors are web pages; an API's message is at the beginning. */
const errorWordsMax = 20_000;
/** Limits how many nested errors and causes are inspected. */
const nodesMax = 24;

/** Inspects fields rather than classes, because two versions of one package have different classes. */
export function extractErrorFacts(error: unknown): ErrorFacts {
  const nodes = collectErrorNodes(error);
  const codes = new Set(nodes.flatMap(listErrorCodes));
  const texts = nodes.flatMap((node) => [getNodeText(node, 'message'), getNodeText(node, 'responseBody')]);
  const plain = typeof error === 'string' ? error : '';
  const searchText = [...codes, plain, ...texts.map((text) => text.slice(0, errorWordsMax))]
    .join('\n')
    .slice(0, errorWordsMax);
  return {
    status: findHttpStatus(nodes) ?? findStatusByCode(codes),
    headers: findResponseHeaders(nodes),
    codes,
    searchText: searchText.toLowerCase(),
    message: plain === '' ? findInnermostMessage(nodes) : plain,
  };
}

type ErrorNode = { readonly [name: string]: unknown };

/** Collects the error, its causes and the errors it wraps, outermost first. */
function collectErrorNodes(error: unknown): readonly ErrorNode[] {
  const nodes: ErrorNode[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && nodes.length < nodesMax) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || nodes.includes(next as ErrorNode)) continue;
    // Safe cast: every field is unknown until it is checked.
    const node = next as ErrorNode;
    nodes.push(node);
    const nested = Array.isArray(node['errors']) ? node['errors'].slice(0, nodesMax) : [];
    queue.push(node['cause'], node['data'], node['error'], node['response'], ...nested);
  }
  return nodes;
}

function listErrorCodes(node: ErrorNode): readonly string[] {
  const values = [node['name'], node['code'], node['type'], node['status'], node['reason']];
  return values.flatMap((value) => (typeof value === 'string' ? value.slice(0, 100).toLowerCase() : []));
}

function getNodeText(node: ErrorNode, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}

function findHttpStatus(nodes: readonly ErrorNode[]): number | null {
  const status = nodes
    .flatMap((node) => [node['statusCode'], node['status'], node['code']])
    .map((value) => (typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN))
    .find((value) => Number.isInteger(value) && value >= 100 && value < 600);
  return status ?? null;
}

/** Errors within a stream have no HTTP status, only an error code. */
function findStatusByCode(codes: ReadonlySet<string>): number | null {
  return Object.entries(statusByWord).find(([word]) => codes.has(word))?.[1] ?? null;
}

const statusByWord: { readonly [word: string]: number } = {
  authentication_error: 401,
  unauthenticated: 401,
  invalid_api_key: 401,
  permission_error: 403,
  permission_denied: 403,
  insufficient_quota: 402,
  billing_error: 402,
  not_found_error: 404,
  not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  resource_exhausted: 429,
  overloaded_error: 529,
  unavailable: 503,
  timeout_error: 504,
  deadline_exceeded: 504,
  api_error: 500,
  server_error: 500,
  internal: 500,
  internal_server_error: 500,
  invalid_request_error: 400,
  invalid_argument: 400,
};

function findResponseHeaders(nodes: readonly ErrorNode[]): ReadonlyMap<string, string> {
  const headers = nodes
    .map((node) => node['responseHeaders'])
    .find((each) => typeof each === 'object' && each !== null);
  const entries = Object.entries(headers ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
  );
  return new Map(entries);
}

/** Messages of wrapping errors that carry no information. */
const wrapperMessagePattern =
  /^(?:failed to process (?:successful|error) response|cannot connect to api: ?|fetch failed)$/i;

function findInnermostMessage(nodes: readonly ErrorNode[]): string {
  const messages = nodes
    .map((node) => getNodeText(node, 'message').trim())
    .filter((message) => message !== '');
  return messages.find((message) => !wrapperMessagePattern.test(message)) ?? messages[0] ?? '';
}
