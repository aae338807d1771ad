/*
 * The OpenTelemetry names for agent operations. They are still in development, so they are defined once, here: those of
 * github.com/open-telemetry/semantic-conventions-genai at 004902b8cb70aa5ae6ca4ae07132b7daabcd3e10, and the stable ones
 * of version 1.43 of the general conventions. When you update them, check docs/observability.md as well.
 */
export const otelAttributes = {
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  errorType: 'error.type',
  exceptionMessage: 'exception.message',
  exceptionType: 'exception.type',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputMessages: 'gen_ai.input.messages',
  inputTokens: 'gen_ai.usage.input_tokens',
  operation: 'gen_ai.operation.name',
  outputMessages: 'gen_ai.output.messages',
  outputTokens: 'gen_ai.usage.output_tokens',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  serviceInstance: 'service.instance.id',
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  tokenType: 'gen_ai.token.type',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolCallId: 'gen_ai.tool.call.id',
  toolName: 'gen_ai.tool.name',
  toolResult: 'gen_ai.tool.call.result',
  toolType: 'gen_ai.tool.type',
  cpuMode: 'cpu.mode',
} as const;

export const otelOperations = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const;

export const exceptionEventName = 'exception';

/** Pawl's own attribute names. They must not change, because dashboards and alerts use them. */
export const pawlAttributes = {
  attempt: 'pawl.attempt',
  cancelledBy: 'pawl.called_off_by',
  cause: 'pawl.cause',
  cost: 'pawl.cost',
  decision: 'pawl.decision',
  ending: 'pawl.ending',
  evidence: 'pawl.verdict.evidence',
  freedTokens: 'pawl.freed_tokens',
  from: 'pawl.from',
  level: 'pawl.verdict.level',
  machine: 'pawl.machine',
  mode: 'pawl.mode',
  movedEntries: 'pawl.moved_entries',
  of: 'pawl.of',
  outcome: 'pawl.outcome',
  profile: 'pawl.profile',
  report: 'pawl.report',
  response: 'pawl.verdict.response',
  rule: 'pawl.verdict.rule',
  seq: 'pawl.seq',
  state: 'pawl.state',
  tenant: 'pawl.tenant',
  to: 'pawl.to',
  understood: 'pawl.reply.understood',
  verdictEvent: 'pawl.verdict',
  pagedEvent: 'pawl.paged',
} as const;

/** Upper bucket bounds in seconds, as the conventions define them. */
export const histogramBuckets = {
  call: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  agent: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  /** Larger buckets, because users take longer. */
  person: [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
} as const;

/** A model by its OpenTelemetry attributes: provider and model name. */
export type ModelIdentity = { readonly provider: string; readonly model: string };

/**
 * Parses a name such as `anthropic:MODEL`. A name without a provider is a built-in model, such as the librarian or a
 * script.
 */
export function parseModelIdentity(name: string): ModelIdentity {
  const at = name.indexOf(':');
  if (at < 1) return { provider: 'pawl', model: name };
  const kind = name.slice(0, at);
  return { provider: kind === 'google' ? 'gcp.gemini' : kind, model: name.slice(at + 1) };
}
