import type { ModeChart } from '@pawl/core/modes';
import type { Profile } from '@pawl/core/profiles';
import { createLibrarian } from '../models/librarian.ts';
import type { Model } from '../models/model.ts';
import type { NamedModelOptions } from '../models/providers/model-from-spec.ts';
import type { ProtocolOptions } from '../protocols/protocol-model.ts';
import { AgentConfigError, type AgentModelConfig } from './run-options.ts';

/** Creates the main model with the protocol of the profile. */
export async function createProfileModel(
  { model = 'librarian', modelOptions = {} }: AgentModelConfig,
  profile: Profile,
  protocolOptions: ProtocolOptions,
): Promise<Model> {
  const isLibrarian = model === 'librarian';
  // The librarian needs a protocol only for the XML profiles.
  if (isLibrarian && profile.protocol !== 'xml') return createLibrarian();
  const { createXmlLibrarian, wrapWithProtocol } = await import('./profile-protocol.ts');
  if (isLibrarian) return createXmlLibrarian(protocolOptions);
  const named = await createPlainModel(model, { protocol: profile.protocol, ...modelOptions });
  return wrapWithProtocol(named, profile.protocol, protocolOptions);
}

/** Creates the summary model, which uses plain text; null if none is configured. */
export async function createSummaryModel(config: AgentModelConfig): Promise<Model | null> {
  const { model = 'librarian', summaryModel, prices = {} } = config;
  if (summaryModel === undefined || (summaryModel === 'same' && model === 'librarian')) return null;
  if (typeof summaryModel !== 'string') return summaryModel;
  if (summaryModel === 'same' || summaryModel === model) return createPlainModel(model, config.modelOptions);
  if (summaryModel === 'librarian') {
    throw new AgentConfigError(
      'The librarian cannot write summaries. Choose another --summary-model, or omit it.',
    );
  }
  const knownPrices = Object.hasOwn(prices, summaryModel) ? prices[summaryModel] : undefined;
  return createPlainModel(summaryModel, knownPrices === undefined ? {} : { prices: knownPrices });
}

async function createPlainModel(model: Model | string, options: NamedModelOptions = {}): Promise<Model> {
  if (typeof model !== 'string') return model;
  const { createModelFromSpec } = await import('../models/providers/model-from-spec.ts');
  return createModelFromSpec(model, process.env, options);
}

/** Maximum number of text tool calls in one reply. */
const maxTextCalls = 32;

/** Returns the codec options for text tool calls that the chart requires. */
export function getCodecOptions(chart: ModeChart | null | undefined): ProtocolOptions {
  if (chart?.name === 'lkj') return { logs: ['think_log', 'evaluation_log'], callsMax: 1 };
  if (chart?.name === 'lkj1') return { logs: ['thinking_log'], callsMax: 1 };
  return { logs: [], callsMax: chart?.oneAction === true ? 1 : maxTextCalls };
}
