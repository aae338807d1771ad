import { toOptionalList, type Json } from '../json/json.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { anthropicFormat } from './anthropic.ts';
import { autogenFormat } from './autogen.ts';
import { capProblems } from './build-run.ts';
import { claudeCodeFormat } from './claude-code.ts';
import { clineFormat } from './cline.ts';
import { codexFormat } from './codex.ts';
import { continueFormat } from './continue.ts';
import { copilotCliFormat } from './copilot-cli.ts';
import { cursorFormat } from './cursor.ts';
import { geminiCliFormat } from './gemini-cli.ts';
import { inspectAiFormat } from './inspect-ai.ts';
import { langchainFormat } from './langchain.ts';
import { miniSweAgentFormat } from './mini-swe-agent.ts';
import { moatlessFormat } from './moatless.ts';
import { normalizedFormat } from './normalized.ts';
import { opencodeFormat } from './opencode.ts';
import { openaiChatFormat } from './openai-chat.ts';
import { openaiResponsesFormat } from './openai-responses.ts';
import { openInferenceFormat } from './openinference.ts';
import { openhandsFormat } from './openhands.ts';
import { otlpFormat } from './otlp.ts';
import { pawlSessionFormat } from './pawl-session.ts';
import { qwenCodeFormat } from './qwen-code.ts';
import { cochiseFormat, codeRepairLabFormat, mintFormat, sentinelFormat } from './study-logs.ts';
import { sweAgentFormat } from './swe-agent.ts';
import { tauFormat } from './tau.ts';
import { omissionAdvice } from './record-counter.ts';
import { mergeTraces, type ParsedTrace, type TraceFormat } from './trace-format.ts';
import { containsCall } from './unknown-records.ts';

/**
 * Parses the runs of a document of any supported format, or of a list of such documents.
 * `name` is the id of a run that has none.
 */
export function parseTrace(document: Json, name: string): ParsedTrace {
  const format = detectTraceFormat(document);
  if (format !== null) return markRunsWithoutCalls(document, format.parse(document, name));
  const items = toOptionalList(document) ?? [];
  const formats = items.map(detectTraceFormat);
  if (formats.every((found) => found === null)) {
    return { runs: [], problems: [{ location: '', problem: describeUnknownFormat() }] };
  }
  const parsed = items.map((item, index): ParsedTrace => {
    const found = formats[index] ?? null;
    const location = `[${index}]`;
    if (found === null) return { runs: [], problems: [{ location, problem: 'no run of a known format' }] };
    const { runs, problems } = markRunsWithoutCalls(item, found.parse(item, `${name}#${index + 1}`));
    return {
      runs,
      problems: problems.map((problem) => ({
        ...problem,
        location: joinDocumentPath(location, problem.location),
      })),
    };
  });
  const { runs, problems } = mergeTraces(parsed);
  return { runs, problems: capProblems(problems) };
}

/**
 * Marks the runs of a document in which no call was found although it seems to have some, as happens if a newer version
 * of a program records them in another way. Conversations without calls are rare, so the search costs little.
 */
function markRunsWithoutCalls(document: Json, parsed: ParsedTrace): ParsedTrace {
  const { runs, problems } = parsed;
  const hasCalls = runs.some(({ steps }) => steps.some(({ tool }) => tool !== undefined));
  if (hasCalls || runs.length === 0 || !containsCall(document, documentDepthMax)) return parsed;
  const incomplete = 'its calls of tools could not be read';
  return {
    runs: runs.map((run) => ({ ...run, incomplete: run.incomplete ?? incomplete })),
    problems: [
      ...problems,
      { location: '', problem: `no call could be read, but there seem to be some; ${omissionAdvice}` },
    ],
  };
}

/** How deep calls are in a document: in the parts of the messages of its runs. */
const documentDepthMax = 10;

/** Describes the supported formats for an error message. */
export function describeUnknownFormat(): string {
  return `no known format; looked for ${traceFormats.map(({ sign }) => sign).join('; ')}`;
}

function joinDocumentPath(outer: string, inner: string): string {
  return inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`;
}

/** The supported formats, most specific first, because the last ones only have features that all share. */
export const traceFormats: readonly TraceFormat[] = [
  otlpFormat,
  openInferenceFormat,
  normalizedFormat,
  pawlSessionFormat,
  tauFormat,
  miniSweAgentFormat,
  geminiCliFormat,
  qwenCodeFormat,
  opencodeFormat,
  clineFormat,
  continueFormat,
  copilotCliFormat,
  cursorFormat,
  inspectAiFormat,
  moatlessFormat,
  autogenFormat,
  cochiseFormat,
  codeRepairLabFormat,
  sentinelFormat,
  mintFormat,
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
