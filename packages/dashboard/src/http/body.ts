import type { Context } from 'hono';
import type * as z from 'zod';
import { ApiError } from './api-error.ts';

/** What a request may carry. Recorded runs are larger than what people type. */
export const bodyLimits = { bytes: 1_000_000, importBytes: 64_000_000, depth: 64 } as const;

/** The bytes of a request, and never more of them than the limit. */
export async function bytesOf({ req }: Context, bytesMax: number): Promise<Buffer> {
  const tooLarge = (): ApiError =>
    new ApiError('too-large', `The request has more than ${bytesMax / 1_000_000} MB.`, 'Send less at once.');
  if (Number(req.header('content-length') ?? 0) > bytesMax) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of req.raw.body ?? []) {
    length += piece.length;
    if (length > bytesMax) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

/** The body of a request as what it has to be. */
export async function bodyAs<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError('bad-request', 'The body has to be JSON.', 'Send content-type: application/json.');
  }
  const text = new TextDecoder().decode(await bytesOf(context, bodyLimits.bytes));
  if (isTooDeep(text, bodyLimits.depth)) {
    throw new ApiError('too-deep', `The body is nested more than ${bodyLimits.depth} levels deep.`);
  }
  return checkedAs(parsed(text), schema, 'body');
}

/** What stands in the address behind the question mark, as what it has to be. */
export function queryAs<Schema extends z.ZodType>(context: Context, schema: Schema): z.infer<Schema> {
  return checkedAs(context.req.query(), schema, 'query');
}

function checkedAs<Schema extends z.ZodType>(value: unknown, schema: Schema, where: string): z.infer<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const place = [where, ...(issue?.path ?? []).map(String)].join('.').slice(0, placeMax);
  const reason = issue?.message ?? 'it is not as it should be';
  throw new ApiError(
    'bad-request',
    `${place}: ${reason}.`,
    'GET /api/v1/openapi.json describes every request.',
  );
}

const placeMax = 200;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError('bad-request', `The body is not JSON: ${reason}`, undefined, error);
  }
}

/** Looked at before it is parsed: brackets inside of texts do not count. */
function isTooDeep(json: string, depthMax: number): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (isInText) {
      if (code === backslash) index += 1;
      else if (code === quote) isInText = false;
    } else if (code === quote) isInText = true;
    else if (code === brace.open || code === bracket.open) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (code === brace.close || code === bracket.close) depth -= 1;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const brace = { open: 0x7b, close: 0x7d } as const;
const bracket = { open: 0x5b, close: 0x5d } as const;
