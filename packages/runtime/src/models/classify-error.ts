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
  const cause = errorCauses.find((each) => each.matches(facts)) ?? unknownCause;
  const { kind, problem, advice, retryable = retryableKinds.has(kind) } = cause;
  const quote = facts.message === '' ? '' : ` It says: ${toPrintableLine(facts.message, errorQuoteMax)}`;
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
    problem: 'sent more than a reply may take and was cut off',
    advice: 'Ask for less at a time, or raise wireBytesMax.',
    retryable: false,
  },
  {
    kind: 'bad-request',
    matches: createCodeMatcher(/^notanapi$/),
    problem: 'answered with a web page in place of a reply',
    advice: 'Check the base URL; it is to be that of an interface, often ending in /v1.',
  },
  {
    kind: 'auth',
    matches: (facts) => createStatusMatcher(402)(facts) || createWordsMatcher(unpaidWords)(facts),
    problem: 'has no credit left',
    advice: "Add some in the provider's billing settings, or use another model.",
  },
  {
    kind: 'context-overflow',
    matches: (facts) =>
      createStatusMatcher(413)(facts) ||
      createWordsMatcher(tooLargeWords)(facts) ||
      (!createStatusMatcher(429)(facts) && createWordsMatcher(overflowWords)(facts)),
    problem: 'has no room for the whole conversation',
    advice: 'Make it shorter, or use a model with a larger window.',
  },
  {
    kind: 'rate-limit',
    matches: createStatusMatcher(429),
    problem: 'is asked more often than your account may',
    advice: 'Wait a while, work on less at once, or ask the provider for more.',
  },
  {
    kind: 'refused',
    matches: (facts) => createStatusMatcher(400, 403, 422)(facts) && createWordsMatcher(policyWords)(facts),
    problem: 'refuses to answer this',
    advice: 'Put it another way, or use another model.',
  },
  {
    kind: 'auth',
    matches: (facts) => createStatusMatcher(401, 403)(facts) || createWordsMatcher(badKeyWords)(facts),
    problem: 'does not accept the API key',
    advice: 'Check that the key is right and may use this model.',
  },
  {
    kind: 'bad-request',
    matches: createStatusMatcher(301, 302, 303, 307, 308),
    problem: 'sends its callers to another address',
    advice: 'Set the base URL to that address; keys are not sent along to wherever an answer points.',
  },
  {
    kind: 'bad-request',
    matches: (facts) =>
      createStatusMatcher(404, 405, 410)(facts) ||
      createCodeMatcher(/^ai_nosuchmodelerror$/)(facts) ||
      createWordsMatcher(/\bbad port\b/)(facts),
    problem: 'is not there',
    advice: 'Check the name of the model and the base URL.',
  },
  {
    kind: 'timeout',
    matches: (facts) =>
      createStatusMatcher(408, 504, 524)(facts) ||
      createCodeMatcher(/timedout$|^und_err_[a-z]+_timeout$|^timeouterror$/)(facts),
    problem: 'did not answer in time',
    advice: 'It will be tried again; if it stays so, ask for less at a time.',
  },
  {
    kind: 'overloaded',
    matches: ({ status }) => status === 409 || status === 425 || (status !== null && status >= 500),
    problem: 'cannot answer at the moment',
    advice:
      "It will be tried again; if it stays so, look at the provider's status page or use another model.",
  },
  {
    kind: 'bad-request',
    matches: (facts) =>
      (facts.status !== null && facts.status >= 400) ||
      createCodeMatcher(/^ai_(?:unsupportedfunctionality|invalidprompt|invalidargument|loadsetting)error$/)(
        facts,
      ),
    problem: 'does not accept the request',
    advice: 'Check the name of the model and its settings.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/^econnrefused$/),
    problem: 'is not there: nothing answers at its address',
    advice: 'Start the server if it is a local one, or check the base URL.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/^(?:enotfound|eai_again)$/),
    problem: 'cannot be found: the name of its host is not known',
    advice: 'Check the base URL and the connection to the network.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(/cert|^err_tls|^err_ssl|self_signed|unable_to_/),
    problem: 'cannot be reached safely: its certificate does not hold',
    advice: 'Check the base URL, or give Node the right certificates (NODE_EXTRA_CA_CERTS).',
    retryable: false,
  },
  {
    kind: 'network',
    matches: (facts) =>
      createCodeMatcher(/^(?:econn|epipe|enet|ehost|und_err|err_stream|z_|hpe_)/)(facts) ||
      createWordsMatcher(/terminated|fetch failed|cannot connect|socket hang up|other side closed/)(facts),
    problem: 'broke off: the connection was lost',
    advice: 'It will be tried again; if it stays so, check the network.',
  },
  {
    kind: 'truncated',
    matches: createWordsMatcher(/ended without a finish reason/),
    problem: 'stopped before its reply was complete',
    advice: 'It will be tried again.',
  },
  {
    kind: 'network',
    matches: createCodeMatcher(
      /^ai_(?:jsonparse|typevalidation|invalidresponsedata|emptyresponsebody|apicall)error$/,
    ),
    problem: 'sent something that cannot be read as a reply',
    advice: 'It will be tried again; if it stays so, check the base URL and the version of the server.',
  },
];

const unknownCause: ErrorCause = {
  kind: 'unknown',
  matches: () => true,
  problem: 'failed',
  advice: 'It will be tried again.',
};
