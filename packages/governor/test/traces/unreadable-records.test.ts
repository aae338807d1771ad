import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { parseTrace, traceFormats } from '../../src/traces/parse-trace.ts';
import type { ParsedTrace } from '../../src/traces/trace-format.ts';
import * as agents from './agent-samples.ts';
import * as benchmarks from './benchmark-samples.ts';
import * as frameworks from './framework-samples.ts';
import * as conversations from './samples.ts';
import * as studies from './study-samples.ts';

/*
 * A format that is read in part must not look like a healthy run: whatever a newer version of a program may write, the
 * result has a problem, and its runs are marked as incomplete or are not there.
 */

/** What changes in a format, in JSON: the words in quotes are types or names of fields that a reader looks for. */
type FormatCase = {
  readonly format: string;
  readonly sample: Json;
  /** The path of the list of records. */
  readonly records: readonly (string | number)[];
  /** Fields by which an unknown record still belongs to the run. */
  readonly extra?: { readonly [name: string]: Json };
  /** The words by which results are known. */
  readonly results: readonly string[];
  /** The words by which calls are known, or their parts. */
  readonly calls: readonly string[];
};

/** The session of the records of a sample that have one. */
function getSampleSession(sample: Json): { readonly sessionId: Json } {
  const [first] = sample as readonly { readonly sessionId?: Json }[];
  return { sessionId: first?.sessionId ?? null };
}

const futureSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'future_call' } }],
};

const futurePhoenixSpan = {
  context: { trace_id: 'trace-1', span_id: '9' },
  attributes: { 'openinference.span.kind': 'FUTURE_CALL' },
};

const cases: readonly FormatCase[] = [
  {
    format: 'openai-chat',
    sample: conversations.openaiChatSample,
    records: ['messages'],
    results: ['tool'],
    calls: ['tool_calls'],
  },
  {
    format: 'openai-responses',
    sample: conversations.openaiResponsesSample,
    records: ['input'],
    results: ['function_call_output'],
    calls: ['function_call'],
  },
  {
    format: 'anthropic',
    sample: conversations.anthropicSample,
    records: ['messages'],
    results: ['tool_result'],
    calls: ['tool_use'],
  },
  {
    format: 'ai-sdk',
    sample: conversations.aiSdkSample,
    records: [],
    results: ['tool-result'],
    calls: ['tool-call'],
  },
  {
    format: 'langchain',
    sample: conversations.langchainSample,
    records: ['messages'],
    results: ['tool', 'ToolMessage'],
    calls: ['tool_calls'],
  },
  {
    format: 'claude-code',
    sample: conversations.claudeCodeSample,
    records: [],
    extra: getSampleSession(conversations.claudeCodeSample),
    results: ['tool_result'],
    calls: ['tool_use'],
  },
  {
    format: 'codex',
    sample: conversations.codexSample,
    records: [],
    results: ['function_call_output'],
    calls: ['function_call'],
  },
  {
    format: 'gemini-cli',
    sample: agents.geminiCliSample,
    records: [],
    extra: { id: 'x' },
    results: ['result', 'resultDisplay', 'status', 'functionResponse'],
    calls: ['toolCalls'],
  },
  {
    format: 'qwen-code',
    sample: agents.qwenCodeSample,
    records: [],
    extra: getSampleSession(agents.qwenCodeSample),
    results: ['tool_result'],
    calls: ['functionCall'],
  },
  {
    format: 'opencode',
    sample: agents.opencodeSample,
    records: ['messages'],
    extra: { info: { role: 'future' }, parts: [] },
    results: ['completed', 'error'],
    calls: ['tool'],
  },
  {
    format: 'cline',
    sample: agents.clineSample,
    records: ['messages'],
    results: ['tool_result'],
    calls: ['tool_use'],
  },
  {
    format: 'continue',
    sample: agents.continueSample,
    records: ['history'],
    results: ['toolCallStates'],
    calls: ['toolCalls'],
  },
  {
    format: 'copilot-cli',
    sample: agents.copilotCliSample,
    records: [],
    results: ['tool.execution_complete'],
    calls: ['toolRequests', 'tool.execution_start'],
  },
  {
    format: 'cursor',
    sample: agents.cursorConversationSample,
    records: ['bubbles'],
    results: ['completed', 'error'],
    calls: ['name', 'rawArgs', 'tool'],
  },
  {
    format: 'cursor',
    sample: agents.cursorChatSample,
    records: ['messages'],
    results: ['tool-result'],
    calls: ['tool-call'],
  },
  { format: 'cursor', sample: agents.cursorTranscriptSample, records: [], results: [], calls: ['tool_use'] },
  {
    format: 'swe-agent',
    sample: benchmarks.sweAgentSample,
    records: ['trajectory'],
    results: ['observation'],
    calls: ['action'],
  },
  {
    format: 'mini-swe-agent',
    sample: benchmarks.miniSweAgentCallsSample,
    records: ['messages'],
    results: ['tool'],
    calls: ['tool_calls'],
  },
  {
    format: 'openhands',
    sample: benchmarks.openhandsSample,
    records: ['history'],
    results: ['observation'],
    calls: ['action'],
  },
  {
    format: 'openhands',
    sample: benchmarks.openhandsSdkSample,
    records: [],
    results: ['ObservationEvent', 'AgentErrorEvent'],
    calls: ['ActionEvent'],
  },
  {
    format: 'tau',
    sample: benchmarks.tau2Sample,
    records: ['simulations', 0, 'messages'],
    results: ['tool'],
    calls: ['tool_calls'],
  },
  {
    format: 'otlp',
    sample: benchmarks.otlpSample,
    records: ['resourceSpans', 0, 'scopeSpans', 0, 'spans'],
    extra: futureSpan,
    results: [],
    calls: [],
  },
  {
    format: 'inspect-ai',
    sample: frameworks.inspectAiSample,
    records: ['samples', 0, 'messages'],
    results: ['tool'],
    calls: ['tool_calls'],
  },
  {
    format: 'moatless',
    sample: frameworks.moatlessSample,
    records: ['root', 'children', 0, 'action_steps'],
    results: ['observation'],
    calls: ['action'],
  },
  {
    format: 'autogen',
    sample: frameworks.autogenSample,
    records: ['messages'],
    results: ['ToolCallExecutionEvent'],
    calls: ['ToolCallRequestEvent'],
  },
  {
    format: 'openinference',
    sample: frameworks.openInferenceSample,
    records: [],
    extra: futurePhoenixSpan,
    results: [],
    calls: [],
  },
  {
    format: 'cochise',
    sample: studies.cochiseSample,
    records: [],
    extra: {
      agent: 'main',
      event: 'history_append',
      content: { role: 'future', name: 'bash', arguments: {} },
    },
    results: ['tool'],
    calls: ['tool_calls'],
  },
  {
    format: 'code-repair-lab',
    sample: studies.codeRepairLabSample,
    records: ['trajectory', 'turns'],
    results: ['tool_result'],
    calls: ['tool_calls'],
  },
  {
    format: 'sentinel',
    sample: studies.sentinelSample,
    records: [],
    results: ['result'],
    calls: ['tool_events'],
  },
  { format: 'mint', sample: studies.mintSample, records: ['state', 'history'], results: [], calls: [] },
  {
    format: 'normalized',
    sample: benchmarks.normalizedSample,
    records: ['steps'],
    results: ['result'],
    calls: ['tool'],
  },
  {
    format: 'pawl',
    sample: benchmarks.pawlLinesSample,
    records: [],
    extra: { event: { type: 'future-call', name: 'bash', args: {} } },
    results: ['tool-finished'],
    calls: ['calls'],
  },
];

/** A record of a type that no reader knows, with a call. */
const unknownCall: Json = {
  type: 'future_call',
  role: 'future',
  kind: 'FutureCallEvent',
  source: 'agent',
  name: 'bash',
  arguments: { command: 'ls' },
};

/** One without a call. */
const unknownNote: Json = { type: 'future', role: 'future', kind: 'FutureNote', note: 'x' };

function editRecords(
  value: Json,
  [first, ...rest]: FormatCase['records'],
  edit: (list: readonly Json[]) => Json,
): Json {
  if (first === undefined) return edit(Array.isArray(value) ? (value as readonly Json[]) : [value]);
  const copy = structuredClone(value) as { [name: string | number]: Json };
  copy[first] = editRecords(copy[first] ?? null, rest, edit);
  return copy;
}

/** Repeats a run, so that it has enough calls to be judged: the ids of each copy are its own. */
function repeatRecords({ sample, records }: FormatCase): Json {
  return editRecords(sample, records, (list) =>
    [0, 1, 2].flatMap((copy) => list.map((record) => suffixIds(record, `-${copy}`))),
  );
}

function suffixIds(value: Json, suffix: string, name = ''): Json {
  if (typeof value === 'string') return isIdName(name) ? value + suffix : value;
  if (Array.isArray(value)) return value.map((each: Json) => suffixIds(each, suffix, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: readonly [string, Json]) => [
      key,
      suffixIds(inner, suffix, key),
    ]),
  );
}

function isIdName(name: string): boolean {
  return (
    /(?:^|_)(?:call_)?id$|callId$|toolCallId$|uuid$|apiCallId$|messageId$/i.test(name) &&
    !/session|instance|task|parent|trace/i.test(name)
  );
}

/** Renames what a reader looks for, as a newer version of a program might. */
function renameWords(document: Json, words: readonly string[]): Json {
  let text = JSON.stringify(document);
  for (const word of words) text = text.replaceAll(`"${word}"`, `"${word}_v9"`);
  return JSON.parse(text) as Json;
}

function expectNotFine({ runs, problems }: ParsedTrace): void {
  expect(problems).not.toEqual([]);
  for (const run of runs) expect(run).toHaveProperty('incomplete');
}

/** Sessions of programs that are not supported, in shapes close to those of others. */
const lookalikes: readonly (readonly [name: string, document: Json])[] = [
  [
    'lines like those of Claude Code, with calls in lines of their own',
    [
      { type: 'user', sessionId: 's', message: { role: 'user', content: 'Fix the build' } },
      { type: 'assistant', sessionId: 's', message: { role: 'assistant', content: 'I look.' } },
      { type: 'tool', sessionId: 's', tool: { name: 'bash', input: { command: 'ls' } } },
    ],
  ],
  [
    'events like those of Copilot, with calls in events of their own',
    [
      { type: 'session.start', data: { sessionId: 's' } },
      { type: 'user.message', data: { content: 'Fix the build' } },
      { type: 'shell.run', data: { command: 'ls', args: [] } },
    ],
  ],
  [
    'messages like those of OpenAI, with calls in fields of their own',
    {
      messages: [
        { role: 'user', content: 'Fix the build' },
        { role: 'assistant', content: '', actions: [{ tool: 'bash', params: { command: 'ls' } }] },
        { role: 'assistant', content: 'Done.' },
      ],
    },
  ],
  [
    'messages like those of opencode, of another role',
    {
      info: { id: 'ses_1' },
      messages: [
        { info: { role: 'user' }, parts: [{ type: 'text', text: 'Fix the build' }] },
        { info: { role: 'agent' }, parts: [{ type: 'tool', tool: 'bash', input: { command: 'ls' } }] },
      ],
    },
  ],
  [
    'lines like those of Codex, with other payloads',
    [
      { type: 'session_meta', payload: { id: 'r' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      },
      { type: 'response_item', payload: { type: 'shell', name: 'bash', arguments: { command: 'ls' } } },
    ],
  ],
];

const namedCases = cases.map((each) => [each.format, each] as const);

describe('a file that is read in part', () => {
  it('is tested in every format', () => {
    expect(new Set(cases.map(({ format }) => format))).toEqual(new Set(traceFormats.map(({ name }) => name)));
  });

  it.each(namedCases)('of %s is read without a problem if nothing is unknown', (_, { sample }) => {
    const { runs, problems } = parseTrace(sample, 'name');
    expect(problems).toEqual([]);
    for (const run of runs) expect(run).not.toHaveProperty('incomplete');
  });

  it.each(namedCases)('of %s with a call in a record of an unknown type is incomplete', (_, each) => {
    const record = { ...Object(unknownCall), ...each.extra } as Json;
    expectNotFine(
      parseTrace(
        editRecords(each.sample, each.records, (list) => [...list, record]),
        'name',
      ),
    );
  });

  it.each(namedCases)('of %s with mostly unknown records is incomplete', (_, each) => {
    const record = { ...Object(unknownNote), ...each.extra } as Json;
    const many = Array.from({ length: 60 }, (_unused, index) => suffixIds(record, `-${index}`));
    expectNotFine(
      parseTrace(
        editRecords(each.sample, each.records, (list) => [...list, ...many]),
        'name',
      ),
    );
  });

  it.each(namedCases.filter(([, { results }]) => results.length > 0))(
    'of %s without recognizable results is incomplete',
    (_, each) => expectNotFine(parseTrace(renameWords(repeatRecords(each), each.results), 'name')),
  );

  it.each(namedCases.filter(([, { calls }]) => calls.length > 0))(
    'of %s with renamed calls is incomplete',
    (_, each) => expectNotFine(parseTrace(renameWords(repeatRecords(each), each.calls), 'name')),
  );

  it.each(lookalikes)('of another program that writes %s is not a healthy run', (_, document) => {
    const { runs, problems } = parseTrace(document, 'name');
    expect(problems).not.toEqual([]);
    for (const run of runs) expect(run).toHaveProperty('incomplete');
  });
});
