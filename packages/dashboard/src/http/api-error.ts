import { StoreError, type StoreErrorCode } from '@pawl/runtime/store';
import type { ApiErrorBody, ApiErrorCode } from '../api/index.ts';

/** Ends a request with an error response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly hint: string | undefined;

  constructor(code: ApiErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

const statusByErrorCode = {
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
} as const satisfies Record<ApiErrorCode, number>;

const apiCodeByStoreCode: Record<StoreErrorCode, ApiErrorCode> = {
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

/** Maps an error to a status and a response body. Unexpected errors expose no details. */
export function toErrorResponse(error: unknown): {
  readonly status: (typeof statusByErrorCode)[ApiErrorCode];
  readonly body: ApiErrorBody;
} {
  const { code, message, hint } = toApiError(error);
  return {
    status: statusByErrorCode[code],
    body: { error: { code, message, ...(hint !== undefined && { hint }) } },
  };
}

function toApiError(error: unknown): Pick<ApiError, 'code' | 'message' | 'hint'> {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError)
    return { code: apiCodeByStoreCode[error.code], message: error.message, hint: undefined };
  return {
    code: 'internal',
    message: 'Internal server error.',
    hint: 'See the terminal of the dashboard for details.',
  };
}
