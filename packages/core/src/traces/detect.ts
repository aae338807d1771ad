import type { Json } from '../json.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { langchain } from './langchain.ts';
import { miniSweAgent } from './mini-swe-agent.ts';
import { normalized } from './normalized.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { openhands } from './openhands.ts';
import { otlp } from './otlp.ts';
import { pawlSession } from './pawl-session.ts';
import { sweAgent } from './swe-agent.ts';
import { tau } from './tau.ts';
import type { TraceFormat } from './trace-format.ts';

/** The formats that can be read, the most specific first: what is left for the last ones has only what all share. */
export const traceFormats: readonly TraceFormat[] = [
  otlp,
  normalized,
  pawlSession,
  tau,
  miniSweAgent,
  openhands,
  sweAgent,
  codex,
  claudeCode,
  langchain,
  aiSdk,
  anthropic,
  openaiResponses,
  openaiChat,
];

/** The format of a document, by what is in it; null when it is none of those that are known. */
export function detect(document: Json): TraceFormat | null {
  return traceFormats.find((format) => format.recognise(document)) ?? null;
}
