export type { ProtocolCodec, ProtocolContext, ProtocolLogName } from './protocols/codec.ts';
export type { ModelDecision, ModelReply, ReplyPayload, ReplyProblem } from './protocols/decision.ts';
export { explainProblems } from './protocols/explain.ts';
export { createFallbackCodec } from './protocols/fallback.ts';
export { jsonCodec } from './protocols/json.ts';
export { nativeCodec } from './protocols/native.ts';
export { createProtocolModel } from './protocols/protocol-model.ts';
export type { ProtocolOptions } from './protocols/protocol-model.ts';
export { xmlCodec } from './protocols/xml.ts';
