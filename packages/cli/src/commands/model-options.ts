import type { ModeChart, Profile } from '@pawl/core';
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
import { UsageError, asUsageError } from '../usage-error.ts';
import { decimalNumber, wholeNumber } from './option-number.ts';

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
    throw asUsageError(error, ModelSpecError);
  }
}

/** A model with calls of its own may still write them as text, as small ones do. */
const codecs: Record<Profile['protocol'], Codec> = {
  native: createFallback([nativeCodec, jsonCodec, xmlCodec]),
  json: createFallback([jsonCodec, xmlCodec]),
  xml: createFallback([xmlCodec, jsonCodec]),
};

/** How many calls one reply may hold, where a model writes them as text. */
const textCallsMax = 32;

/** How a model that writes its calls as text is spoken to: in the manner of the chart. */
export function mannerFor(chart: ModeChart | null | undefined): Manner {
  if (chart?.name === 'lkj') return { logs: ['think_log', 'evaluation_log'], callsMax: 1 };
  if (chart?.name === 'lkj1') return { logs: ['thinking_log'], callsMax: 1 };
  return { logs: [], callsMax: chart?.oneAction === true ? 1 : textCallsMax };
}

/** The librarian needs no protocol but XML, which its profiles are about. */
function librarianFor({ protocol }: Profile, manner: Manner): Model {
  if (protocol !== 'xml') return createLibrarian();
  return speakIn(xmlCodec, createLkjLibrarian(xmlCodec, manner.logs), { ...manner, readsCalls: true });
}

function optionsOf(flags: ModelFlags): NamedModelOptions {
  const { baseUrl, priceIn, priceOut, maxOutputTokens } = flags;
  const input = priceIn === undefined ? null : decimalNumber('--price-in', priceIn);
  const output = priceOut === undefined ? null : decimalNumber('--price-out', priceOut);
  if ((input === null) !== (output === null)) {
    throw new UsageError('Give both --price-in and --price-out, in money per million tokens, or neither.');
  }
  const tokens =
    maxOutputTokens === undefined ? null : wholeNumber('--max-output-tokens', maxOutputTokens, 1);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(input !== null &&
      output !== null && { prices: { inputPerMillion: input, outputPerMillion: output } }),
    ...(tokens !== null && { maxOutputTokens: tokens }),
  };
}
