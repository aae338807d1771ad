import type { Json, RequestedCall, ToolMessage } from '@pawl/core';
import type { ProtocolCodec, ProtocolContext } from './codec.ts';
import {
  emptyReplyPayload,
  finalizeDecision,
  type ModelDecision,
  type ReplyProblem,
  type ReplyPayload,
} from './decision.ts';
import { parseEnvelope, type JsonEnvelope } from './json-envelope.ts';
import { findJsonSegments, type JsonSegment } from './json-segments.ts';
import { createJsonReader, type JsonReader } from './json-reader.ts';
import { describeTool, buildSamplePayload } from './parameters.ts';
import { joinReasoning, splitReasoning } from './reasoning.ts';
import { extractSurroundingProse } from './prose.ts';
import { createScanSource, type ScanSource } from './scan-source.ts';

/** Replies contain one JSON object in their text. */
export const jsonCodec: ProtocolCodec = {
  name: 'json',
  instructions: buildJsonInstructions,
  example(context) {
    const payload = buildSamplePayload(context);
    const isLast = payload.calls.length === 0 && payload.nextState === null;
    const logs = { ...payload.logs, think: 'why this is the next step' };
    return encodeJson({ ...payload, logs, answer: isLast ? 'the whole answer' : null }, context).text;
  },
  decode: ({ text }, context) => {
    const { think, rest } = splitReasoning(text);
    return decodeJson(createScanSource(rest), think, context);
  },
  encode: encodeJson,
  observe: (results) => results.map(formatJsonResult).join('\n'),
};

/** Decodes the first envelope in the text. `think` is the reasoning block before the text. */
export function decodeJson(
  source: ScanSource,
  think: string | null,
  context: ProtocolContext,
): ModelDecision {
  const { callsMax } = context;
  const reader = createJsonReader();
  let failed: { readonly problem: ReplyProblem; readonly isTraced: boolean } | null = null;
  for (const segment of findJsonSegments(source)) {
    const slice = source.slice(segment.start, segment.end);
    if (!mentionsEnvelope.test(slice)) continue;
    const value = readJsonSegment(source, segment, slice, reader);
    const envelope = value === null ? null : parseEnvelope(value, { protocol: context, reader });
    if (envelope !== null) {
      return finalizeDecision({
        ...attachProse(envelope, think, source, segment),
        isProtocolReply: true,
        callsMax,
      });
    }
    if (value === null) {
      failed ??= {
        problem: segment.ending === 'cut' ? truncatedJsonProblem : unreadableJsonProblem,
        isTraced: beginsEnvelope.test(slice),
      };
    }
  }
  const { problem, isTraced: isProtocolReply } = failed ?? { problem: missingJsonProblem, isTraced: false };
  const payload = {
    ...emptyReplyPayload,
    text: source.text.trim(),
    logs: { ...emptyReplyPayload.logs, think },
  };
  return finalizeDecision({ payload, problems: [problem], isProtocolReply, callsMax });
}

/** Only objects with one of these keys are worth repairing. */
const mentionsEnvelope =
  /\b(?:agent|action|actions|calls|tool|tool_?calls|tool_?name|function|name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final|final_?answer|answer)["'”]?\s*:/i;

/** An unreadable object was intended as an envelope if it begins like one; code in an answer rarely does. */
const beginsEnvelope =
  /^[{[\s]{1,9}["'](?:agent|action|actions|calls|tool|tool_?calls|tool_?name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final_?answer)["']\s*:/i;

/** Parses a JSON segment; null if it is incomplete or not JSON. */
function readJsonSegment(
  source: ScanSource,
  segment: JsonSegment,
  slice: string,
  reader: JsonReader,
): Json | null {
  // A truncated segment may lack more than brackets, and half a call must not be executed.
  if (segment.ending === 'cut') return null;
  const parsed = reader(slice);
  if (parsed === null) return null;
  // An unmatched closing bracket means that a string was assumed to end too early.
  return parsed.isRepaired && hasUnmatchedClosing(source, segment.end) ? null : parsed.value;
}

/** Whether the next bracket of any kind is a closing one. */
function hasUnmatchedClosing(source: ScanSource, from: number): boolean {
  let at = from;
  while (at < source.length && !'{}[]'.includes(String.fromCharCode(source.codeAt(at)))) at += 1;
  return at < source.length && '}]'.includes(source.slice(at, at + 1));
}

function attachProse(
  envelope: JsonEnvelope,
  think: string | null,
  source: ScanSource,
  segment: JsonSegment,
): JsonEnvelope {
  const { payload, problems } = envelope;
  const logs = { ...payload.logs, think: joinReasoning(think, payload.logs.think) };
  return { payload: { ...payload, text: extractSurroundingProse(source, segment), logs }, problems };
}

const missingJsonProblem: ReplyProblem = {
  problem: 'there is no JSON object with an action',
  location: 'the whole reply',
  hint: 'Reply with one JSON object and nothing else.',
};

const unreadableJsonProblem: ReplyProblem = {
  problem: 'the JSON is invalid',
  location: 'the JSON object',
  hint: 'Use double quotes, and escape quotes and line breaks inside strings.',
};

const truncatedJsonProblem: ReplyProblem = {
  problem: 'the JSON is cut off before its closing bracket',
  location: 'the end of the reply',
  hint: 'Send the whole object again. Make it shorter if it did not fit.',
};

function buildJsonInstructions({ tools, states, logs, callsMax }: ProtocolContext): string {
  const calls =
    callsMax > 1
      ? ['- For several tools at once, put {"tool": …, "args": …} for each into the list "calls".']
      : [];
  const lines = [
    'Reply with one JSON object and nothing else.',
    ...(tools.length > 0
      ? ['- To use a tool: "action": "tool", its name under "tool", its arguments under "args".']
      : []),
    ...(tools.length > 0 ? calls : []),
    ...(states.length > 0 ? [`- To change the state: "next_state", one of ${states.join(', ')}.`] : []),
    ...logs.map((log) => `- "${log}" may contain a note for later.`),
    ...(states.length === 0
      ? ['- To end with an answer: "action": "finish", the whole answer under "final".']
      : []),
    ...(tools.length > 0 ? ['The tools are:', ...tools.map(describeTool)] : []),
  ];
  return lines.join('\n');
}

function encodeJson(payload: ReplyPayload, context: ProtocolContext) {
  const { text, calls, nextState, logs, answer } = payload;
  const thinkName = context.logs.find((log) => log !== 'evaluation_log') ?? 'reasoning';
  const object = {
    ...(logs.think !== null && { [thinkName]: logs.think }),
    ...(logs.evaluation !== null && { evaluation_log: logs.evaluation }),
    ...(nextState !== null && { next_state: nextState }),
    ...toActionFields(calls),
    ...(answer !== null && { action: 'finish', final: answer }),
  };
  const json = JSON.stringify(object);
  return { text: text === '' ? json : `${text}\n${json}`, calls: [] };
}

function toActionFields(calls: readonly RequestedCall[]): { readonly [name: string]: Json } {
  const written = calls.map(({ id, tool, args }) => ({ ...(id !== undefined && { id }), tool, args }));
  const [first] = written;
  if (first === undefined) return {};
  return written.length === 1 ? { action: 'tool', ...first } : { calls: written };
}

function formatJsonResult({ tool, outcome }: ToolMessage): string {
  const result = outcome.ok
    ? { ok: true, output: outcome.output }
    : { ok: false, error: outcome.error.message };
  return JSON.stringify({ observation: { of: tool, ...result } });
}
