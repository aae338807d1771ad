import type { Profile } from '@pawl/core';
import {
  createFallback,
  createLibrarian,
  createLkjLibrarian,
  jsonCodec,
  modelNamed,
  ModelSpecError,
  nativeCodec,
  speakIn,
  xmlCodec,
  type Codec,
  type Config,
  type Manner,
  type Model,
  type NamedModelOptions,
} from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';

/** Which model, as it stands on the command line. */
export type ModelFlags = {
  readonly model?: string;
  readonly baseUrl?: string;
  /** Which model writes summaries of what is moved to storage: `same` for the one above. */
  readonly summaryModel?: string;
  readonly priceIn?: string;
  readonly priceOut?: string;
  readonly maxOutputTokens?: string;
};

/** The model that is asked, spoken to in the protocol of the profile. */
export async function modelFor(flags: ModelFlags, profile: Profile, manner: Manner): Promise<Model> {
  const { model: spec = 'librarian' } = flags;
  if (spec === 'librarian') return librarianFor(profile, manner);
  const model = await named(spec, { protocol: profile.protocol, ...optionsOf(flags) });
  return speakIn(codecs[profile.protocol], model, manner);
}

/** The model that writes summaries, spoken to in plain words; null when nobody is to write any. */
export async function summaryModelFor(flags: ModelFlags, { prices = {} }: Config): Promise<Model | null> {
  const { model = 'librarian', summaryModel } = flags;
  if (summaryModel === undefined || (summaryModel === 'same' && model === 'librarian')) return null;
  if (summaryModel === 'same' || summaryModel === model) return named(model, optionsOf(flags));
  if (summaryModel === 'librarian')
    throw new UsageError('The librarian writes no summaries. Name another --summary-model, or leave it out.');
  const known = Object.hasOwn(prices, summaryModel) ? prices[summaryModel] : undefined;
  return named(summaryModel, known === undefined ? {} : { prices: known });
}

async function named(spec: string, options: NamedModelOptions): Promise<Model> {
  try {
    return await modelNamed(spec, process.env, options);
  } catch (error) {
    throw error instanceof ModelSpecError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** A model with calls of its own may still write them as text, as small ones do. */
const codecs: Record<Profile['protocol'], Codec> = {
  native: createFallback([nativeCodec, jsonCodec, xmlCodec]),
  json: createFallback([jsonCodec, xmlCodec]),
  xml: createFallback([xmlCodec, jsonCodec]),
};

/** The librarian needs no protocol but XML, which its profiles are about. */
function librarianFor({ protocol }: Profile, manner: Manner): Model {
  if (protocol !== 'xml') return createLibrarian();
  return speakIn(xmlCodec, createLkjLibrarian(xmlCodec, manner.logs), { ...manner, readsCalls: true });
}

function optionsOf(flags: ModelFlags): NamedModelOptions {
  const { baseUrl, priceIn, priceOut, maxOutputTokens } = flags;
  const input = positive('--price-in', priceIn);
  const output = positive('--price-out', priceOut);
  if ((input === null) !== (output === null)) {
    throw new UsageError('Give both --price-in and --price-out, in money per million tokens, or neither.');
  }
  const tokens = positive('--max-output-tokens', maxOutputTokens);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(input !== null &&
      output !== null && { prices: { inputPerMillion: input, outputPerMillion: output } }),
    ...(tokens !== null && { maxOutputTokens: tokens }),
  };
}

function positive(flag: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new UsageError(`Expected ${flag} to be a number from 0 on, got ${JSON.stringify(value)}.`);
  }
  return number;
}
