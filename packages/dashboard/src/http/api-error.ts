import { StoreError, type StoreErrorCode } from '@pawl/runtime';
import type { ApiErrorBody, ErrorCode } from '../api/index.ts';

/** Ends a request with an answer that says what went wrong. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

const statusOf = {
  unauthorized: 401,
  forbidden: 403,
  'bad-request': 400,
  'too-large': 413,
  'too-deep': 400,
  'too-many': 429,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

const codeOfStore: Record<StoreErrorCode, ErrorCode> = {
  busy: 'unavailable',
  conflict: 'conflict',
  damaged: 'gone',
  full: 'too-many',
  held: 'conflict',
  invalid: 'bad-request',
  missing: 'not-found',
  newer: 'gone',
  unreadable: 'unavailable',
};

/** What is told of a failure, and with which status. Of one that nobody expected, only that it happened. */
export function errorAnswer(error: unknown): {
  readonly status: (typeof statusOf)[ErrorCode];
  readonly body: ApiErrorBody;
} {
  const { code, message, hint } = apiErrorOf(error);
  return {
    status: statusOf[code],
    body: { error: { code, message, ...(hint !== undefined && { hint }) } },
  };
}

function apiErrorOf(error: unknown): Pick<ApiError, 'code' | 'message' | 'hint'> {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError)
    return { code: codeOfStore[error.code], message: error.message, hint: undefined };
  return {
    code: 'internal',
    message: 'Something went wrong in the server.',
    hint: 'The terminal in which the dashboard runs says more.',
  };
}
