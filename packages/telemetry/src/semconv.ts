import type { Attributes } from '@opentelemetry/api';
import type { ModelServer } from '@pawl/runtime';

/*
 * The OpenTelemetry names for agent operations. They are still in development, so they are defined once, here: those of
 * github.com/open-telemetry/semantic-conventions-genai at 004902b8cb70aa5ae6ca4ae07132b7daabcd3e10, and the stable ones
 * of version 1.43 of the general conventions. When you update them, check docs/observability.md as well.
 */

/** The schema that this revision of the conventions declares; there is no release of it yet. */
export const otelSchemaUrl = 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev';

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
  requestStream: 'gen_ai.request.stream',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  serverAddress: 'server.address',
  serverPort: 'server.port',
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

/** The only type of tool: its call is a function call of the model. */
export const otelToolType = 'function';

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

/** Upper bucket bounds, in seconds except for tokens, as the conventions define them. */
export const histogramBuckets = {
  call: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  agent: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  tokens: Array.from({ length: 14 }, (_, exponent) => 4 ** exponent),
  /** Larger buckets, because users take longer. */
  person: [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
} as const;

/** A model by its OpenTelemetry attributes: provider, model name and server. */
export type ModelIdentity = {
  readonly provider: string;
  readonly model: string;
  readonly server?: ModelServer | undefined;
};

/** The conventions' names of providers that AI SDK packages name differently. */
const otelProviderNames: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/**
 * Parses a name such as `anthropic:MODEL`. A name without a provider is a built-in model, such as the librarian or a
 * script.
 */
export function parseModelIdentity(name: string, server?: ModelServer): ModelIdentity {
  const at = name.indexOf(':');
  if (at < 1) return { provider: 'pawl', model: name, server };
  const kind = name.slice(0, at);
  return { provider: otelProviderNames.get(kind) ?? kind, model: name.slice(at + 1), server };
}

/** The attributes that identify the model of a request. */
export function getModelAttributes({ provider, model, server }: ModelIdentity): Attributes {
  return {
    [otelAttributes.operation]: otelOperations.chat,
    [otelAttributes.provider]: provider,
    [otelAttributes.requestModel]: model,
    ...(server !== undefined && {
      [otelAttributes.serverAddress]: server.address,
      [otelAttributes.serverPort]: server.port,
    }),
  };
}
