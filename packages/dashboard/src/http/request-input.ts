import type { Context } from 'hono';
import type * as z from 'zod';
import { ApiError } from './api-error.ts';

/** Limits for request bodies. Uploads of recorded runs may be larger than other requests. */
export const bodyLimits = { bytes: 1_000_000, importBytes: 64_000_000, depth: 64 } as const;

/** Reads the request body and fails as soon as it exceeds the limit. */
export async function readBodyBytes({ req }: Context, bytesMax: number): Promise<Buffer> {
  const createTooLargeError = (): ApiError =>
    new ApiError(
      'too-large',
      `The request is larger than ${bytesMax / 1_000_000} MB.`,
      'Send a smaller request.',
    );
  if (Number(req.header('content-length') ?? 0) > bytesMax) throw createTooLargeError();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of req.raw.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw createTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Parses and validates a JSON request body. */
export async function parseJsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError('bad-request', 'The body must be JSON.', 'Send content-type: application/json.');
  }
  const text = new TextDecoder().decode(await readBodyBytes(context, bodyLimits.bytes));
  if (isJsonTooDeep(text, bodyLimits.depth)) {
    throw new ApiError('too-deep', `The body is nested more than ${bodyLimits.depth} levels deep.`);
  }
  return validateInput(parseBodyText(text), schema, 'body');
}

/** Parses and validates the query string. */
export function parseQuery<Schema extends z.ZodType>(context: Context, schema: Schema): z.infer<Schema> {
  return validateInput(context.req.query(), schema, 'query');
}

function validateInput<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  source: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const fieldPath = [source, ...(issue?.path ?? []).map(String)].join('.').slice(0, fieldPathMax);
  const reason = issue?.message ?? 'invalid value';
  throw new ApiError(
    'bad-request',
    `${fieldPath}: ${reason}.`,
    'GET /api/v1/openapi.json describes every request.',
  );
}

const fieldPathMax = 200;

function parseBodyText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError('bad-request', `The body is not JSON: ${reason}`, undefined, error);
  }
}

/** Checks the nesting depth before parsing; brackets inside strings do not count. */
function isJsonTooDeep(json: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (isInString) {
      if (code === backslashCode) index += 1;
      else if (code === quoteCode) isInString = false;
    } else if (code === quoteCode) isInString = true;
    else if (code === braceCodes.open || code === bracketCodes.open) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (code === braceCodes.close || code === bracketCodes.close) depth -= 1;
  }
  return false;
}

const quoteCode = 0x22;
const backslashCode = 0x5c;
const braceCodes = { open: 0x7b, close: 0x7d } as const;
const bracketCodes = { open: 0x5b, close: 0x5d } as const;
