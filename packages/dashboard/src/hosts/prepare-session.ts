import type { CreateSessionRequest } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import type { SessionPreparer } from './session-host.ts';

/** Reports preparation failures as client errors, because the client can correct its request. */
export async function prepareSession(
  prepare: SessionPreparer,
  request: CreateSessionRequest,
  id: string,
): ReturnType<SessionPreparer> {
  try {
    return await prepare(request, id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw error instanceof ApiError ? error : new ApiError('bad-request', reason, undefined, error);
  }
}
