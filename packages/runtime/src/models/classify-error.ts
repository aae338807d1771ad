import type { ModelError, ModelErrorKind } from '@pawl/core';
import { toPrintableLine } from '../schema/one-line.ts';
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
  const cause = errorCauses.find((each) => each.fits(facts)) ?? unknownCause;
  const { kind, what, todo, retryable = retryableKinds.has(kind) } = cause;
  const quote = facts.said === '' ? '' : ` It says: ${toPrintableLine(facts.said, errorQuoteMax)}`;
  const retryAfterMs = retryable ? parseRetryDelay(facts, at) : undefined;
  return {
    kind,
    message: `${model} ${what}${formatHttpStatus(facts)}. ${todo}${quote}`,
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
  readonly fits: (facts: ErrorFacts) => boolean;
  /** What happened; follows the model's name in the message. */
  readonly what: string;
  /** What the user can do about it. */
  readonly todo: string;
  readonly retryable?: boolean;
};

const createWordsMatcher =
  (pattern: RegExp) =>
  ({ words }: ErrorFacts): boolean =>
    pattern.test(words);

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
    fits: createCodeMatcher(/^wireoverflow$/),
    what: 'sent more than a reply may take and was cut off',
    todo: 'Ask for less at a time, or raise wireBytesMax.',
    retryable: false,
  },
  {
    kind: 'bad-request',
    fits: createCodeMatcher(/^notanapi$/),
    what: 'answered with a web page in place of a reply',
    todo: 'Check the base URL; it is to be that of an interface, often ending in /v1.',
  },
  {
    kind: 'auth',
    fits: (facts) => createStatusMatcher(402)(facts) || createWordsMatcher(unpaidWords)(facts),
    what: 'has no credit left',
    todo: "Add some in the provider's billing settings, or use another model.",
  },
  {
    kind: 'context-overflow',
    fits: (facts) =>
      createStatusMatcher(413)(facts) ||
      createWordsMatcher(tooLargeWords)(facts) ||
      (!createStatusMatcher(429)(facts) && createWordsMatcher(overflowWords)(facts)),
    what: 'has no room for the whole conversation',
    todo: 'Make it shorter, or use a model with a larger window.',
  },
  {
    kind: 'rate-limit',
    fits: createStatusMatcher(429),
    what: 'is asked more often than your account may',
    todo: 'Wait a while, work on less at once, or ask the provider for more.',
  },
  {
    kind: 'refused',
    fits: (facts) => createStatusMatcher(400, 403, 422)(facts) && createWordsMatcher(policyWords)(facts),
    what: 'refuses to answer this',
    todo: 'Put it another way, or use another model.',
  },
  {
    kind: 'auth',
    fits: (facts) => createStatusMatcher(401, 403)(facts) || createWordsMatcher(badKeyWords)(facts),
    what: 'does not accept the API key',
    todo: 'Check that the key is right and may use this model.',
  },
  {
    kind: 'bad-request',
    fits: createStatusMatcher(301, 302, 303, 307, 308),
    what: 'sends its callers to another address',
    todo: 'Set the base URL to that address; keys are not sent along to wherever an answer points.',
  },
  {
    kind: 'bad-request',
    fits: (facts) =>
      createStatusMatcher(404, 405, 410)(facts) ||
      createCodeMatcher(/^ai_nosuchmodelerror$/)(facts) ||
      createWordsMatcher(/\bbad port\b/)(facts),
    what: 'is not there',
    todo: 'Check the name of the model and the base URL.',
  },
  {
    kind: 'timeout',
    fits: (facts) =>
      createStatusMatcher(408, 504, 524)(facts) ||
      createCodeMatcher(/timedout$|^und_err_[a-z]+_timeout$|^timeouterror$/)(facts),
    what: 'did not answer in time',
    todo: 'It will be tried again; if it stays so, ask for less at a time.',
  },
  {
    kind: 'overloaded',
    fits: ({ status }) => status === 409 || status === 425 || (status !== null && status >= 500),
    what: 'cannot answer at the moment',
    todo: "It will be tried again; if it stays so, look at the provider's status page or use another model.",
  },
  {
    kind: 'bad-request',
    fits: (facts) =>
      (facts.status !== null && facts.status >= 400) ||
      createCodeMatcher(/^ai_(?:unsupportedfunctionality|invalidprompt|invalidargument|loadsetting)error$/)(
        facts,
      ),
    what: 'does not accept the request',
    todo: 'Check the name of the model and its settings.',
  },
  {
    kind: 'network',
    fits: createCodeMatcher(/^econnrefused$/),
    what: 'is not there: nothing answers at its address',
    todo: 'Start the server if it is a local one, or check the base URL.',
  },
  {
    kind: 'network',
    fits: createCodeMatcher(/^(?:enotfound|eai_again)$/),
    what: 'cannot be found: the name of its host is not known',
    todo: 'Check the base URL and the connection to the network.',
  },
  {
    kind: 'network',
    fits: createCodeMatcher(/cert|^err_tls|^err_ssl|self_signed|unable_to_/),
    what: 'cannot be reached safely: its certificate does not hold',
    todo: 'Check the base URL, or give Node the right certificates (NODE_EXTRA_CA_CERTS).',
    retryable: false,
  },
  {
    kind: 'network',
    fits: (facts) =>
      createCodeMatcher(/^(?:econn|epipe|enet|ehost|und_err|err_stream|z_|hpe_)/)(facts) ||
      createWordsMatcher(/terminated|fetch failed|cannot connect|socket hang up|other side closed/)(facts),
    what: 'broke off: the connection was lost',
    todo: 'It will be tried again; if it stays so, check the network.',
  },
  {
    kind: 'truncated',
    fits: createWordsMatcher(/ended without a finish reason/),
    what: 'stopped before its reply was complete',
    todo: 'It will be tried again.',
  },
  {
    kind: 'network',
    fits: createCodeMatcher(
      /^ai_(?:jsonparse|typevalidation|invalidresponsedata|emptyresponsebody|apicall)error$/,
    ),
    what: 'sent something that cannot be read as a reply',
    todo: 'It will be tried again; if it stays so, check the base URL and the version of the server.',
  },
];

const unknownCause: ErrorCause = {
  kind: 'unknown',
  fits: () => true,
  what: 'failed',
  todo: 'It will be tried again.',
};
