/** What can be read off an error, whoever threw it. */
export type ErrorFacts = {
  /** Of the HTTP answer, or the one that the provider's own word for the error stands for. */
  readonly status: number | null;
  /** Of the HTTP answer, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Names, types and codes of the error and of what caused it, in lower case. */
  readonly codes: ReadonlySet<string>;
  /** All that is said in it, in lower case and cut to a length that can be searched. */
  readonly words: string;
  /** What went wrong in the words of whoever noticed it first; may be empty. */
  readonly said: string;
};

/** Longer errors are web pages; what an interface says stands at the beginning. */
const wordsMax = 20_000;
/** An error, what caused it, and what is wrapped up in either. */
const nodesMax = 24;

/** Errors are read by their fields, not their classes: those of two versions of one package are different classes. */
export function factsOf(error: unknown): ErrorFacts {
  const nodes = nodesOf(error);
  const codes = new Set(nodes.flatMap(codesOf));
  const texts = nodes.flatMap((node) => [textOf(node, 'message'), textOf(node, 'responseBody')]);
  const plain = typeof error === 'string' ? error : '';
  const words = [...codes, plain, ...texts.map((text) => text.slice(0, wordsMax))]
    .join('\n')
    .slice(0, wordsMax);
  return {
    status: statusOf(nodes) ?? statusByCode(codes),
    headers: headersOf(nodes),
    codes,
    words: words.toLowerCase(),
    said: plain === '' ? said(nodes) : plain,
  };
}

type Fields = { readonly [name: string]: unknown };

/** The error, what caused it and what it wraps, outermost first. */
function nodesOf(error: unknown): readonly Fields[] {
  const nodes: Fields[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && nodes.length < nodesMax) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || nodes.includes(next as Fields)) continue;
    // Any object can be asked for a field by name; what comes is unknown until it is looked at.
    const node = next as Fields;
    nodes.push(node);
    const several = Array.isArray(node['errors']) ? node['errors'].slice(0, nodesMax) : [];
    waiting.push(node['cause'], node['data'], node['error'], node['response'], ...several);
  }
  return nodes;
}

function codesOf(node: Fields): readonly string[] {
  const named = [node['name'], node['code'], node['type'], node['status'], node['reason']];
  return named.flatMap((value) => (typeof value === 'string' ? value.slice(0, 100).toLowerCase() : []));
}

function textOf(node: Fields, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}

function statusOf(nodes: readonly Fields[]): number | null {
  const given = nodes
    .flatMap((node) => [node['statusCode'], node['status'], node['code']])
    .map((value) => (typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN))
    .find((value) => Number.isInteger(value) && value >= 100 && value < 600);
  return given ?? null;
}

/** Inside a stream there is no status any more, only a word for it. */
function statusByCode(codes: ReadonlySet<string>): number | null {
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

function headersOf(nodes: readonly Fields[]): ReadonlyMap<string, string> {
  const headers = nodes
    .map((node) => node['responseHeaders'])
    .find((each) => typeof each === 'object' && each !== null);
  const named = Object.entries(headers ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
  );
  return new Map(named);
}

/** What wraps an error rarely says more than that there is one. */
const wrappers =
  /^(?:failed to process (?:successful|error) response|cannot connect to api: ?|fetch failed)$/i;

function said(nodes: readonly Fields[]): string {
  const messages = nodes.map((node) => textOf(node, 'message').trim()).filter((message) => message !== '');
  return messages.find((message) => !wrappers.test(message)) ?? messages[0] ?? '';
}
