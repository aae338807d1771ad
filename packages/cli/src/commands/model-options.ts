import type { ModeChart, Profile } from '@pawl/core';
import {
  createFallbackCodec,
  createLibrarian,
  createLkjLibrarian,
  jsonCodec,
  createModelFromSpec,
  ModelSpecError,
  nativeCodec,
  createProtocolModel,
  xmlCodec,
  type ProtocolCodec,
  type Config,
  type ProtocolOptions,
  type Model,
  type NamedModelOptions,
} from '@pawl/runtime';
import { UsageError, toUsageError } from '../usage-error.ts';
import { parseDecimalOption, parseWholeNumberOption } from './number-options.ts';

/** Model flags of the command line. */
export type ModelFlags = {
  readonly model?: string;
  readonly baseUrl?: string;
  /** Model used for compaction summaries; `same` uses the main model. */
  readonly summaryModel?: string;
  readonly priceIn?: string;
  readonly priceOut?: string;
  readonly maxOutputTokens?: string;
};

/** Creates the main model with the protocol of the profile. */
export async function createProfileModel(
  flags: ModelFlags,
  profile: Profile,
  protocolOptions: ProtocolOptions,
): Promise<Model> {
  const { model: spec = 'librarian' } = flags;
  if (spec === 'librarian') return createProfileLibrarian(profile, protocolOptions);
  const model = await resolveNamedModel(spec, { protocol: profile.protocol, ...parseModelOptions(flags) });
  return createProtocolModel(protocolCodecs[profile.protocol], model, protocolOptions);
}

/** Creates the summary model, which uses plain text; null if none is configured. */
export async function createSummaryModel(flags: ModelFlags, { prices = {} }: Config): Promise<Model | null> {
  const { model = 'librarian', summaryModel } = flags;
  if (summaryModel === undefined || (summaryModel === 'same' && model === 'librarian')) return null;
  if (summaryModel === 'same' || summaryModel === model)
    return resolveNamedModel(model, parseModelOptions(flags));
  if (summaryModel === 'librarian')
    throw new UsageError('The librarian cannot write summaries. Choose another --summary-model, or omit it.');
  const knownPrices = Object.hasOwn(prices, summaryModel) ? prices[summaryModel] : undefined;
  return resolveNamedModel(summaryModel, knownPrices === undefined ? {} : { prices: knownPrices });
}

async function resolveNamedModel(spec: string, options: NamedModelOptions): Promise<Model> {
  try {
    return await createModelFromSpec(spec, process.env, options);
  } catch (error) {
    throw toUsageError(error, ModelSpecError);
  }
}

/** Models with native tool calls sometimes write calls as text, small ones in particular, so all codecs fall back. */
const protocolCodecs: Record<Profile['protocol'], ProtocolCodec> = {
  native: createFallbackCodec([nativeCodec, jsonCodec, xmlCodec]),
  json: createFallbackCodec([jsonCodec, xmlCodec]),
  xml: createFallbackCodec([xmlCodec, jsonCodec]),
};

/** Maximum number of text tool calls in one reply. */
const maxTextCalls = 32;

/** Returns the codec options for text tool calls that the chart requires. */
export function getCodecOptions(chart: ModeChart | null | undefined): ProtocolOptions {
  if (chart?.name === 'lkj') return { logs: ['think_log', 'evaluation_log'], callsMax: 1 };
  if (chart?.name === 'lkj1') return { logs: ['thinking_log'], callsMax: 1 };
  return { logs: [], callsMax: chart?.oneAction === true ? 1 : maxTextCalls };
}

/** The librarian needs a protocol only for the XML profiles. */
function createProfileLibrarian({ protocol }: Profile, protocolOptions: ProtocolOptions): Model {
  if (protocol !== 'xml') return createLibrarian();
  return createProtocolModel(xmlCodec, createLkjLibrarian(xmlCodec, protocolOptions.logs), {
    ...protocolOptions,
    readsCalls: true,
  });
}

function parseModelOptions(flags: ModelFlags): NamedModelOptions {
  const { baseUrl, priceIn, priceOut, maxOutputTokens } = flags;
  const input = priceIn === undefined ? null : parseDecimalOption('--price-in', priceIn);
  const output = priceOut === undefined ? null : parseDecimalOption('--price-out', priceOut);
  if ((input === null) !== (output === null)) {
    throw new UsageError('Specify both --price-in and --price-out (price per 1M tokens), or neither.');
  }
  const tokens =
    maxOutputTokens === undefined ? null : parseWholeNumberOption('--max-output-tokens', maxOutputTokens, 1);
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(input !== null &&
      output !== null && { prices: { inputPerMillion: input, outputPerMillion: output } }),
    ...(tokens !== null && { maxOutputTokens: tokens }),
  };
}
