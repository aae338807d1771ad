import type { Profile } from '@pawl/core/profiles';
import { createLkjLibrarian } from '../protocols/lkj-librarian.ts';
import type { Model } from '../models/model.ts';
import type { ProtocolCodec } from '../protocols/decision.ts';
import {
  createFallbackCodec,
  createProtocolModel,
  type ProtocolOptions,
} from '../protocols/protocol-model.ts';
import { jsonCodec } from '../protocols/json.ts';
import { nativeCodec } from '../protocols/native.ts';
import { xmlCodec } from '../protocols/xml.ts';

/** Adds the protocol of a profile to a model. */
export function wrapWithProtocol(
  model: Model,
  protocol: Profile['protocol'],
  options: ProtocolOptions,
): Model {
  return createProtocolModel(protocolCodecs[protocol], model, options);
}

/** Models with native tool calls sometimes write calls as text, small ones in particular, so all codecs fall back. */
const protocolCodecs: Record<Profile['protocol'], ProtocolCodec> = {
  native: createFallbackCodec([nativeCodec, jsonCodec, xmlCodec]),
  json: createFallbackCodec([jsonCodec, xmlCodec]),
  xml: createFallbackCodec([xmlCodec, jsonCodec]),
};

/** Creates the offline librarian of the XML profiles. */
export function createXmlLibrarian(options: ProtocolOptions): Model {
  const librarian = createLkjLibrarian(xmlCodec, options.logs);
  return createProtocolModel(xmlCodec, librarian, { ...options, readsCalls: true });
}
