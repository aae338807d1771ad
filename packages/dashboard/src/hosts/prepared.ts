import type { CreateSession } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import type { Prepare } from './host.ts';

/** What keeps a session from being made is for whoever asked for it to put right. */
export async function prepared(prepare: Prepare, asked: CreateSession, id: string): ReturnType<Prepare> {
  try {
    return await prepare(asked, id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw error instanceof ApiError ? error : new ApiError('bad-request', reason, undefined, error);
  }
}
