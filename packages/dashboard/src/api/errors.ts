import * as z from 'zod';

export const errorCodes = [
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

export type ErrorCode = (typeof errorCodes)[number];

export const apiErrorSchema = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string().describe('What went wrong, for a person.'),
      hint: z.exactOptional(z.string()).describe('What to do about it.'),
    }),
  })
  .meta({ id: 'Error' });

/** What every request that fails is answered with. */
export type ApiErrorBody = Readonly<z.infer<typeof apiErrorSchema>>;
