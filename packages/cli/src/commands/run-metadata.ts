import type { Json } from '@pawl/core';
import * as z from 'zod';

const optionalText = z.exactOptional(z.string());
const optionalBoolean = z.exactOptional(z.boolean());

type PossiblyUndefined<Type> = { readonly [Key in keyof Type]: Type[Key] | undefined };

/**
 * Metadata stored with a session so that it can be resumed with the same folder, model and permissions. It never
 * contains API keys.
 */
const runMetadataSchema = z.object({
  dir: z.string(),
  model: z.string(),
  profile: z.string(),
  baseUrl: optionalText,
  summaryModel: optionalText,
  mode: optionalText,
  autoCommit: optionalBoolean,
  watchResources: optionalBoolean,
  priceIn: optionalText,
  priceOut: optionalText,
  maxOutputTokens: optionalText,
});

export type RunMetadata = Readonly<z.infer<typeof runMetadataSchema>>;

/** Drops unknown and undefined fields. */
export function toRunMetadata(known: PossiblyUndefined<RunMetadata>): Json {
  return runMetadataSchema.parse(
    Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  );
}

/** Null for a session created by another program, with other metadata or none. */
export function parseRunMetadata(json: Json): RunMetadata | null {
  const read = runMetadataSchema.safeParse(json);
  return read.success ? read.data : null;
}
