import * as z from 'zod';

export const apiErrorCodes = [
  'unauthorized',
  'forbidden',
  'bad-request',
  'too-large',
  'too-deep',
  'too-many',
  'not-found',
  'conflict',
  'gone',
  'unavailable',
  'internal',
] as const;

export type ApiErrorCode = (typeof apiErrorCodes)[number];

export const apiErrorSchema = z
  .object({
    error: z.object({
      code: z.enum(apiErrorCodes),
      message: z.string().describe('Human-readable description of the error.'),
      hint: z.exactOptional(z.string()).describe('How to resolve the error.'),
    }),
  })
  .meta({ id: 'Error' });

/** Response body of every failed request. */
export type ApiErrorBody = Readonly<z.infer<typeof apiErrorSchema>>;
