import type { Json } from '../json.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { anthropicFormat } from './anthropic.ts';
import { claudeCodeFormat } from './claude-code.ts';
import { codexFormat } from './codex.ts';
import { langchainFormat } from './langchain.ts';
import { miniSweAgentFormat } from './mini-swe-agent.ts';
import { normalizedFormat } from './normalized.ts';
import { openaiChatFormat } from './openai-chat.ts';
import { openaiResponsesFormat } from './openai-responses.ts';
import { openhandsFormat } from './openhands.ts';
import { otlpFormat } from './otlp.ts';
import { pawlSessionFormat } from './pawl-session.ts';
import { sweAgentFormat } from './swe-agent.ts';
import { tauFormat } from './tau.ts';
import type { TraceFormat } from './trace-format.ts';

/** The supported formats, most specific first, because the last ones only have features that all share. */
export const traceFormats: readonly TraceFormat[] = [
  otlpFormat,
  normalizedFormat,
  pawlSessionFormat,
  tauFormat,
  miniSweAgentFormat,
  openhandsFormat,
  sweAgentFormat,
  codexFormat,
  claudeCodeFormat,
  langchainFormat,
  aiSdkFormat,
  anthropicFormat,
  openaiResponsesFormat,
  openaiChatFormat,
];

/** Detects the format of a document from its content; null if it is unknown. */
export function detectTraceFormat(document: Json): TraceFormat | null {
  return traceFormats.find((format) => format.matches(document)) ?? null;
}
