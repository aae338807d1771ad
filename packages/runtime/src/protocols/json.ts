import type { Json, RequestedCall, ToolMessage } from '@pawl/core';
import type { Codec, ProtocolContext } from './codec.ts';
import { nothingSaid, settle, type ModelDecision, type Problem, type Said } from './decision.ts';
import { readEnvelope, type Envelope } from './json-envelope.ts';
import { stretches, type Stretch } from './json-find.ts';
import { createJsonReader, type JsonReader } from './json-read.ts';
import { describeTool, sampleSaid } from './parameters.ts';
import { joined, withoutReasoning } from './reasoning.ts';
import { proseAround } from './prose.ts';
import { sourceOf, type Source } from './source.ts';

/** One JSON object in the text of the reply. */
export const jsonCodec: Codec = {
  name: 'json',
  instructions,
  example(context) {
    const said = sampleSaid(context);
    const isLast = said.calls.length === 0 && said.nextState === null;
    const logs = { ...said.logs, think: 'why this is the next step' };
    return encode({ ...said, logs, answer: isLast ? 'the whole answer' : null }, context).text;
  },
  decode: ({ text }, context) => {
    const { think, rest } = withoutReasoning(text);
    return decodeJson(sourceOf(rest), think, context);
  },
  encode,
  observe: (results) => results.map(observation).join('\n'),
};

/** The first envelope in the text. `think` is what the model thought before it wrote the text. */
export function decodeJson(source: Source, think: string | null, context: ProtocolContext): ModelDecision {
  const { callsMax } = context;
  const reader = createJsonReader();
  let failed: { readonly problem: Problem; readonly isTraced: boolean } | null = null;
  for (const stretch of stretches(source)) {
    const slice = source.slice(stretch.start, stretch.end);
    if (!mentionsEnvelope.test(slice)) continue;
    const value = readStretch(source, stretch, slice, reader);
    const envelope = value === null ? null : readEnvelope(value, { context, reader });
    if (envelope !== null) {
      return settle({ ...withText(envelope, think, source, stretch), isTraced: true, callsMax });
    }
    if (value === null) {
      failed ??= {
        problem: stretch.ending === 'cut' ? cut : unreadable,
        isTraced: beginsEnvelope.test(slice),
      };
    }
  }
  const { problem, isTraced } = failed ?? { problem: missing, isTraced: false };
  const said = { ...nothingSaid, text: source.text.trim(), logs: { ...nothingSaid.logs, think } };
  return settle({ said, problems: [problem], isTraced, callsMax });
}

/** Only objects with one of these keys are worth a repair. */
const mentionsEnvelope =
  /\b(?:agent|action|actions|calls|tool|tool_?calls|tool_?name|function|name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final|final_?answer|answer)["'”]?\s*:/i;

/** An object that cannot be read was meant as an envelope if it begins like one; code in an answer seldom does. */
const beginsEnvelope =
  /^[{[\s]{1,9}["'](?:agent|action|actions|calls|tool|tool_?calls|tool_?name|next_?state|think(?:ing)?_?log|evaluation_?log|thoughts?|reasoning|final_?answer)["']\s*:/i;

/** The value in a stretch of text; null when it is not whole or not JSON. */
function readStretch(source: Source, stretch: Stretch, slice: string, reader: JsonReader): Json | null {
  // What breaks off may lack more than brackets: half a call must not be taken for a whole one.
  if (stretch.ending === 'cut') return null;
  const read = reader(slice);
  if (read === null) return null;
  // A bracket that closes nothing shows that a string was taken to end too early.
  return read.isRepaired && closesMore(source, stretch.end) ? null : read.value;
}

/** Whether the next bracket of any kind is a closing one. */
function closesMore(source: Source, from: number): boolean {
  let at = from;
  while (at < source.length && !'{}[]'.includes(String.fromCharCode(source.codeAt(at)))) at += 1;
  return at < source.length && '}]'.includes(source.slice(at, at + 1));
}

function withText(envelope: Envelope, think: string | null, source: Source, stretch: Stretch): Envelope {
  const { said, problems } = envelope;
  const logs = { ...said.logs, think: joined(think, said.logs.think) };
  return { said: { ...said, text: proseAround(source, stretch), logs }, problems };
}

const missing: Problem = {
  what: 'there is no JSON object that says what to do',
  where: 'the whole reply',
  hint: 'Reply with one JSON object and nothing else.',
};

const unreadable: Problem = {
  what: 'the JSON cannot be read',
  where: 'the JSON object',
  hint: 'Use double quotes, and escape quotes and line breaks inside strings.',
};

const cut: Problem = {
  what: 'the JSON breaks off before its last bracket',
  where: 'the end of the reply',
  hint: 'Send the whole object again. Make it shorter if it did not fit.',
};

function instructions({ tools, states, logs, callsMax }: ProtocolContext): string {
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
    ...(states.length > 0 ? [`- To go to another state: "next_state", one of ${states.join(', ')}.`] : []),
    ...logs.map((log) => `- Under "${log}" you may keep a note for later.`),
    ...(states.length === 0
      ? ['- To end with an answer: "action": "finish", the whole answer under "final".']
      : []),
    ...(tools.length > 0 ? ['The tools are:', ...tools.map(describeTool)] : []),
  ];
  return lines.join('\n');
}

function encode(said: Said, context: ProtocolContext) {
  const { text, calls, nextState, logs, answer } = said;
  const thinkName = context.logs.find((log) => log !== 'evaluation_log') ?? 'reasoning';
  const object = {
    ...(logs.think !== null && { [thinkName]: logs.think }),
    ...(logs.evaluation !== null && { evaluation_log: logs.evaluation }),
    ...(nextState !== null && { next_state: nextState }),
    ...actionOf(calls),
    ...(answer !== null && { action: 'finish', final: answer }),
  };
  const json = JSON.stringify(object);
  return { text: text === '' ? json : `${text}\n${json}`, calls: [] };
}

function actionOf(calls: readonly RequestedCall[]): { readonly [name: string]: Json } {
  const written = calls.map(({ id, tool, args }) => ({ ...(id !== undefined && { id }), tool, args }));
  const [first] = written;
  if (first === undefined) return {};
  return written.length === 1 ? { action: 'tool', ...first } : { calls: written };
}

function observation({ tool, outcome }: ToolMessage): string {
  const result = outcome.ok
    ? { ok: true, output: outcome.output }
    : { ok: false, error: outcome.error.message };
  return JSON.stringify({ observation: { of: tool, ...result } });
}
