import type { ModelError, ModelErrorKind } from '@pawl/core';
import { toPrintableLine } from '../text/one-line.ts';
import { extractErrorFacts, type ErrorFacts } from './classify-error-facts.ts';
import { parseRetryDelay } from './classify-error-retry-after.ts';

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
    advice: 'The request will be retried; if this persists, request less at a time.',
  },
  {
    kind: 'overloaded',
    matches: ({ status }) => status === 409 || status === 425 || (status !== null && status >= 500),
    problem: 'is temporarily unavailable',
    advice:
      "The request will be retried; if this persists, check the provider's status page or use another model.",
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
    advice: 'The request will be retried; if this persists, check the network.',
  },
  {
    kind: 'truncated',
    matches: createWordsMatcher(/ended without a finish reason/),
    problem: 'stopped before its reply was complete',
    advice: 'The request will be retried.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(
      /^ai_(?:jsonparse|typevalidation|invalidresponsedata|emptyresponsebody|apicall)error$/,
    ),
    problem: 'sent an invalid response',
    advice: 'The request will be retried; if this persists, check the base URL and the server version.',
  },
];

const unknownCause: ErrorCause = {
  kind: 'unknown',
  matches: () => true,
  problem: 'failed',
  advice: 'The request will be retried.',
};
