import type { Json } from '@pawl/core';
import * as z from 'zod';

const text = z.exactOptional(z.string());
const choice = z.exactOptional(z.boolean());

type Loose<Type> = { readonly [Key in keyof Type]: Type[Key] | undefined };

/**
 * What is written down with a session, so that it can be resumed as it was begun: where, with which model, and what it may
 * do. API keys are never part of it.
 */
const about = z.object({
  dir: z.string(),
  model: z.string(),
  profile: z.string(),
  baseUrl: text,
  summaryModel: text,
  mode: text,
  autoCommit: choice,
  watchResources: choice,
  priceIn: text,
  priceOut: text,
  maxOutputTokens: text,
});

export type About = Readonly<z.infer<typeof about>>;

/** Leaves out what is no part of it, and what is undefined. */
export function aboutOf(known: Loose<About>): Json {
  return about.parse(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)));
}

/** Null for a session that somebody else began, who wrote down something else or nothing. */
export function readAbout(json: Json): About | null {
  const read = about.safeParse(json);
  return read.success ? read.data : null;
}
