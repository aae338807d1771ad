export {
  explainProblems,
  type ProtocolCodec,
  type ProtocolContext,
  type ProtocolLogName,
  type ModelDecision,
  type ModelReply,
  type ReplyPayload,
  type ReplyProblem,
} from './protocols/decision.ts';
export {
  createFallbackCodec,
  createProtocolModel,
  type ProtocolOptions,
} from './protocols/protocol-model.ts';
export { jsonCodec } from './protocols/json.ts';
export { nativeCodec } from './protocols/native.ts';
export { xmlCodec } from './protocols/xml.ts';
