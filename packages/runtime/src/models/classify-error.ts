import type { ModelError, ModelErrorKind } from '@pawl/core';
import { toPrintableLine } from '../text/one-line.ts';

export type ErrorContext = {
  /** The model's name, for the message. */
  readonly model: string;
  /** When the error occurred, in milliseconds since the epoch. */
  readonly at: number;
};

/** Converts any error of a provider into one model error with a message that says what to do. */
export function classifyModelError(error: unknown, { model, at }: ErrorContext): ModelError {
  const facts = extractErrorFacts(error);
  const cause = errorCauses.find((each) => each.matches(facts)) ?? unknownCause;
  const { kind, problem, advice, retryable = retryableKinds.has(kind) } = cause;
  const quote =
    facts.message === '' ? '' : ` Provider message: ${toPrintableLine(facts.message, errorQuoteMax)}`;
  const retryAfterMs = retryable ? parseRetryDelay(facts, at) : undefined;
  return {
    kind,
    message: `${model} ${problem}${formatHttpStatus(facts)}. ${advice}${quote}`,
    ...(!retryable && { retryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const errorQuoteMax = 400;

const retryableKinds: ReadonlySet<ModelErrorKind> = new Set([
  'rate-limit',
  'overloaded',
  'network',
  'timeout',
  'truncated',
  'unknown',
]);

function formatHttpStatus({ status }: ErrorFacts): string {
  return status === null || status < 300 ? '' : ` (HTTP ${status})`;
}

type ErrorCause = {
  readonly kind: ModelErrorKind;
  readonly matches: (facts: ErrorFacts) => boolean;
  /** What happened; follows the model's name in the message. */
  readonly problem: string;
  /** What the user can do about it. */
  readonly advice: string;
  readonly retryable?: boolean;
};

const createWordsMatcher =
  (pattern: RegExp) =>
  ({ searchText }: ErrorFacts): boolean =>
    pattern.test(searchText);

const createStatusMatcher =
  (...wanted: readonly number[]) =>
  ({ status }: ErrorFacts): boolean =>
    status !== null && wanted.includes(status);

const createCodeMatcher =
  (pattern: RegExp) =>
  ({ codes }: ErrorFacts): boolean =>
    [...codes].some((code) => pattern.test(code));

/** Context overflow messages of OpenAI, Anthropic, Google and servers for local models. */
const overflowWords =
  /context[_ -]length[_ -]exceeded|context_size|exceeds?\b[^.\n]{0,60}\bcontext|context\b[^.\n]{0,60}\b(?:exceed|overflow)|maximum (?:context|prompt) length|(?:prompt|input|conversation) is too long|too long to fit|input token(?:s| count)[^.\n]{0,40}exceed|greater than the context|context length of only|too many tokens|token limit exceeded|exceeded model token limit|reduce the length of the|less than max_seq_len/;

/** A single request that exceeds the per-minute limit never succeeds; only a shorter one does. */
const tooLargeWords = /request[_ ]too[_ ]large/;

const unpaidWords = /insufficient_quota|credit balance is too low|insufficient (?:balance|credit|funds)/;

const badKeyWords =
  /api[_ ]key[_ ](?:not valid|is invalid|invalid)|(?:invalid|incorrect)[_ ]api[_ ]key|ai_loadapikeyerror/;

const policyWords =
  /content[_ ](?:policy|filter|management)|responsibleaipolicy|usage polic|safety (?:system|settings)/;

/** The first match applies. */
const errorCauses: readonly ErrorCause[] = [
  {
    kind: 'truncated',
    matches: createCodeMatcher(/^wireoverflow$/),
    problem: 'exceeded the response size limit and was cut off',
    advice: 'Request less at a time, or raise wireBytesMax.',
    retryable: false,
  },
  {
    kind: 'bad-request',
    matches: createCodeMatcher(/^notanapi$/),
    problem: 'returned a web page instead of an API response',
    advice: 'Check the base URL; API base URLs often end in /v1.',
  },
  {
    kind: 'auth',
    matches: (facts) => createStatusMatcher(402)(facts) || createWordsMatcher(unpaidWords)(facts),
    problem: 'has no credit left',
    advice: "Add credit in the provider's billing settings, or use another model.",
  },
  {
    kind: 'context-overflow',
    matches: (facts) =>
      createStatusMatcher(413)(facts) ||
      createWordsMatcher(tooLargeWords)(facts) ||
      (!createStatusMatcher(429)(facts) && createWordsMatcher(overflowWords)(facts)),
    problem: 'cannot fit the conversation into its context window',
    advice: 'Shorten the conversation, or use a model with a larger context window.',
  },
  {
    kind: 'rate-limit',
    matches: createStatusMatcher(429),
    problem: 'rejected the request because of a rate limit',
    advice: 'Wait, reduce concurrency, or ask the provider for a higher limit.',
  },
  {
    kind: 'refused',
    matches: (facts) => createStatusMatcher(400, 403, 422)(facts) && createWordsMatcher(policyWords)(facts),
    problem: 'refused to answer',
    advice: 'Rephrase the request, or use another model.',
  },
  {
    kind: 'auth',
    matches: (facts) => createStatusMatcher(401, 403)(facts) || createWordsMatcher(badKeyWords)(facts),
    problem: 'rejected the API key',
    advice: 'Check that the key is correct and has access to this model.',
  },
  {
    kind: 'bad-request',
    matches: createStatusMatcher(301, 302, 303, 307, 308),
    problem: 'redirected the request to another URL',
    advice: 'Set the base URL to that URL; API keys are not sent to redirect targets.',
  },
  {
    kind: 'bad-request',
    matches: (facts) =>
      createStatusMatcher(404, 405, 410)(facts) ||
      createCodeMatcher(/^ai_nosuchmodelerror$/)(facts) ||
      createWordsMatcher(/\bbad port\b/)(facts),
    problem: 'was not found',
    advice: 'Check the model name and the base URL.',
  },
  {
    kind: 'timeout',
    matches: (facts) =>
      createStatusMatcher(408, 504, 524)(facts) ||
      createCodeMatcher(/timedout$|^und_err_[a-z]+_timeout$|^timeouterror$/)(facts),
    problem: 'did not respond in time',
    advice: 'If this persists, request less at a time.',
  },
  {
    kind: 'overloaded',
    matches: ({ status }) => status === 409 || status === 425 || (status !== null && status >= 500),
    problem: 'is temporarily unavailable',
    advice: "If this persists, check the provider's status page or use another model.",
  },
  {
    kind: 'bad-request',
    matches: (facts) =>
      (facts.status !== null && facts.status >= 400) ||
      createCodeMatcher(/^ai_(?:unsupportedfunctionality|invalidprompt|invalidargument|loadsetting)error$/)(
        facts,
      ),
    problem: 'rejected the request',
    advice: 'Check the model name and its settings.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/^econnrefused$/),
    problem: 'cannot be reached: connection refused',
    advice: 'Start the server if it is local, or check the base URL.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/^(?:enotfound|eai_again)$/),
    problem: 'cannot be reached: unknown host name',
    advice: 'Check the base URL and the network connection.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/cert|^err_tls|^err_ssl|self_signed|unable_to_/),
    problem: 'cannot be reached securely: invalid certificate',
    advice: 'Check the base URL, or add the certificate with NODE_EXTRA_CA_CERTS.',
    retryable: false,
  },
  {
    kind: 'network',
    matches: (facts) =>
      createCodeMatcher(/^(?:econn|epipe|enet|ehost|und_err|err_stream|z_|hpe_)/)(facts) ||
      createWordsMatcher(/terminated|fetch failed|cannot connect|socket hang up|other side closed/)(facts),
    problem: 'lost the connection',
    advice: 'If this persists, check the network.',
  },
  {
    kind: 'truncated',
    matches: createWordsMatcher(/ended without a finish reason/),
    problem: 'stopped before its reply was complete',
    advice: 'If this persists, use another model.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(
      /^ai_(?:jsonparse|typevalidation|invalidresponsedata|emptyresponsebody|apicall)error$/,
    ),
    problem: 'sent an invalid response',
    advice: 'If this persists, check the base URL and the server version.',
  },
];

const unknownCause: ErrorCause = {
  kind: 'unknown',
  matches: () => true,
  problem: 'failed',
  advice: 'If this persists, use another model.',
};

/**
 * Returns how long the provider asks to wait before a retry, in milliseconds; undefined if it does not say or the value
 * is invalid. `at` is the current time for absolute dates, unless the response has a Date header.
 */
function parseRetryDelay({ headers, searchText }: ErrorFacts, at: number): number | undefined {
  const now = parseHttpDate(headers.get('date')) ?? at;
  return (
    parseDelayMs(headers.get('retry-after-ms'), 1) ??
    parseDelayMs(headers.get('retry-after'), 1_000) ??
    computeDateDelay(headers.get('retry-after'), now) ??
    computeResetDelay(headers, now) ??
    findBodyDelay(searchText)
  );
}

function parseDelayMs(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d{1,12}(?:\.\d{1,9})?\s*$/.test(text)) return undefined;
  return Math.ceil(Number(text) * unit);
}

function computeDateDelay(text: string | undefined, now: number): number | undefined {
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Dates contain letters or colons; bare numbers have another meaning. */
function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/[a-z:]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isFinite(date) ? date : undefined;
}

const resetHeader = /^(?:x-ratelimit-reset(?:-[a-z-]+)?|anthropic-ratelimit-[a-z-]+-reset)$/;

/** Returns the longest wait of all exhausted limits. A limit without a remaining count is treated as exhausted. */
function computeResetDelay(headers: ReadonlyMap<string, string>, now: number): number | undefined {
  const waits = [...headers]
    .filter(([name]) => resetHeader.test(name) && !hasRemainingQuota(headers, name))
    .flatMap(([, value]) => parseResetValue(value, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function hasRemainingQuota(headers: ReadonlyMap<string, string>, reset: string): boolean {
  const remaining = headers.get(reset.replace('-reset', '-remaining'));
  return remaining !== undefined && Number(remaining) > 0;
}

/** Parses `6m0s`, `20ms`, a date, a number of seconds, or a Unix time in seconds or milliseconds. */
function parseResetValue(value: string, now: number): number | undefined {
  const span = parseRateLimitSpan(value);
  if (span !== undefined) return span;
  const count = parseDelayMs(value, 1);
  if (count === undefined) return computeDateDelay(value, now);
  if (count > 1e11) return Math.max(0, count - now);
  return count > 1e9 ? Math.max(0, count * 1_000 - now) : count * 1_000;
}

const spanUnits = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Parses a duration such as `1h2m3.5s` or `20ms`. */
function parseRateLimitSpan(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|h|m|s)){1,4}$/.test(trimmed)) return undefined;
  const parts = trimmed.matchAll(/([\d.]+)(ms|h|m|s)/g);
  return Math.ceil([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * getUnitMs(unit), 0));
}

function getUnitMs(unit: string | undefined): number {
  return unit === 'h' || unit === 'm' || unit === 's' || unit === 'ms' ? spanUnits[unit] : 0;
}

/** Google reports the delay in a field, OpenAI in a sentence. */
function findBodyDelay(text: string): number | undefined {
  const [, span] =
    /(?:"retrydelay":\s{0,9}"|try again in )(\d[\d.]{0,20}(?:ms|h|m|s)(?:[\d.]{1,20}s)?)/.exec(text) ?? [];
  return span === undefined ? undefined : parseRateLimitSpan(span);
}

/** Facts extracted from an error of any origin. */
type ErrorFacts = {
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
function extractErrorFacts(error: unknown): ErrorFacts {
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
