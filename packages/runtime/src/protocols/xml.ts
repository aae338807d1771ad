import { formatJsonValue, formatShortValue } from '../text/one-line.ts';
import type { Json, RequestedCall, ToolMessage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import {
  emptyReplyPayload,
  finalizeDecision,
  type ProtocolCodec,
  type ProtocolLogName,
  type ProtocolContext,
  type ModelDecision,
  type ReplyProblem,
  type ReplyPayload,
} from './decision.ts';
import { normalizeFieldName, getOwnJsonField } from './json-fields.ts';
import { createJsonReader, type JsonReader } from './json-reader.ts';
import { formatToolOutcome } from './native.ts';
import { describeTool, listParameters, buildSamplePayload, type ToolParameter } from './parameters.ts';
import { extractSurroundingProse, createScanSource, type ScanSource } from './scan-source.ts';
import { joinReasoning, splitReasoning } from './reasoning.ts';
import { findAgentElement, type AgentElement } from './xml-elements.ts';
import { tokenizeXml, toElementText, escapeXmlText, type FieldText } from './xml-tokens.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { parseToolCall } from './arguments.ts';

/**
 * Replies contain one `<agent>` element in their text: a next state, logs and actions. The format has no final answer.
 */
export const xmlCodec: ProtocolCodec = {
  name: 'xml',
  instructions: buildXmlInstructions,
  example(context) {
    const payload = buildSamplePayload(context);
    return encodeXml({ ...payload, logs: buildSampleLogs(context, payload.calls.length === 0) }, context)
      .text;
  },
  decode: ({ text }, context) => {
    const { think, rest } = splitReasoning(text);
    return decodeXml(createScanSource(rest), think, context);
  },
  encode: encodeXml,
  observe: (results) => results.map(formatXmlResult).join('\n'),
};

/** `think` is the reasoning block before the text. */
export function decodeXml(source: ScanSource, think: string | null, context: ProtocolContext): ModelDecision {
  const { callsMax } = context;
  const agent = findAgentElement(source, tokenizeXml(source, listElementNames(context.tools)));
  if (agent === null) {
    const payload = {
      ...emptyReplyPayload,
      text: source.text.trim(),
      logs: { ...emptyReplyPayload.logs, think },
    };
    return finalizeDecision({ payload, problems: [missingAgentProblem], isProtocolReply: false, callsMax });
  }
  const reader = createJsonReader();
  const parsed = agent.actions.map(({ fields }) => parseXmlAction(fields, context.tools, reader));
  const calls = parsed.map(({ call }) => call).filter((call): call is RequestedCall => call !== undefined);
  const problems = parsed.flatMap((each) => each.problems);
  const payload: ReplyPayload = {
    ...emptyReplyPayload,
    text: extractSurroundingProse(source, agent),
    calls,
    nextState: agent.nextState,
    logs: { think: joinReasoning(think, agent.think), evaluation: agent.evaluation },
  };
  return finalizeDecision({
    payload,
    problems: [...agent.problems, ...problems],
    isProtocolReply: hasAgentContent(agent, source),
    callsMax,
  });
}

/** Prose may mention a tag; an agent element has content or is the whole reply. */
function hasAgentContent(
  { nextState, think, evaluation, actions, start }: AgentElement,
  source: ScanSource,
): boolean {
  if ((nextState ?? think ?? evaluation) !== null || actions.length > 0) return true;
  return source.slice(0, start).trim() === '';
}

const missingAgentProblem: ReplyProblem = {
  problem: 'there is no <agent> element',
  location: 'the whole reply',
  hint: 'Reply with one <agent> element and nothing else.',
};

function listElementNames(tools: readonly ToolDescription[]): ReadonlySet<string> {
  const parameters = tools.flatMap((tool) =>
    listParameters(tool).map(({ name }) => normalizeFieldName(name)),
  );
  return new Set([...baseNames, ...parameters]);
}

const baseNames = [
  'agent',
  'nextstate',
  'thinklog',
  'thinkinglog',
  'evaluationlog',
  'action',
  'type',
  'tags',
  'value',
] as const;

function buildXmlInstructions({ tools, states, logs, callsMax }: ProtocolContext): string {
  const count = callsMax === 1 ? 'one <action>' : 'one or more <action>';
  const lines = [
    'Reply with valid XML: one <agent> element and nothing else.',
    ...(states.length > 0 ? [`- <next_state> names the next state, one of: ${states.join(', ')}.`] : []),
    ...logs.map((log) => `- <${log}> may contain a note for later.`),
    ...(tools.length > 0
      ? [
          `- To act, give ${count}: <type> names it, the other elements are its parameters.`,
          ...(states.length > 0 ? ['- With an <action>, <next_state> is ignored.'] : []),
          '- Put text that contains < or & between <![CDATA[ and ]]>.',
          'The actions are:',
          ...tools.map(describeTool),
        ]
      : []),
  ];
  return lines.join('\n');
}

function buildSampleLogs({ logs }: ProtocolContext, isThinking: boolean): ReplyPayload['logs'] {
  const note = (name: ProtocolLogName | undefined) =>
    isThinking && name !== undefined ? 'what led to this' : null;
  return {
    think: note(findThinkLog(logs)),
    evaluation: note(logs.find((log) => log === 'evaluation_log')),
  };
}

/** Profiles use different names for this log. */
function findThinkLog(logs: readonly ProtocolLogName[]): ProtocolLogName | undefined {
  return logs.find((log) => log !== 'evaluation_log');
}

function encodeXml({ text, calls, nextState, logs }: ReplyPayload, context: ProtocolContext) {
  const lines = [
    ...(nextState === null ? [] : [formatElement('next_state', nextState)]),
    ...(logs.think === null ? [] : [formatElement(findThinkLog(context.logs) ?? 'think_log', logs.think)]),
    ...(logs.evaluation === null ? [] : [formatElement('evaluation_log', logs.evaluation)]),
    ...calls.map(formatActionElement),
  ];
  const agent = ['<agent>', ...lines, '</agent>'].join('\n');
  return { text: text === '' ? agent : `${text}\n${agent}`, calls: [] };
}

function formatActionElement({ tool, args }: RequestedCall): string {
  const fields = args !== null && typeof args === 'object' ? Object.entries(args as object) : [];
  const parameters = fields.map(([name, value]) => formatElement(name, formatJsonValue(value as Json)));
  return ['<action>', formatElement('type', tool), ...parameters, '</action>'].join('\n');
}

function formatElement(name: string, text: string): string {
  return `<${name}>${toElementText(text)}</${name}>`;
}

function formatXmlResult({ tool, outcome }: ToolMessage): string {
  const content = escapeXmlText(formatToolOutcome(outcome));
  return `<observation of="${escapeXmlText(tool)}" ok="${outcome.ok}">${content}</observation>`;
}

type ParsedXmlAction = { readonly call?: RequestedCall; readonly problems: readonly ReplyProblem[] };

/** Converts an action into a call of the tool that its type names, with values parsed by the tool's schema. */
function parseXmlAction(
  fields: ReadonlyMap<string, FieldText>,
  tools: readonly ToolDescription[],
  reader: JsonReader,
): ParsedXmlAction {
  const type = fields.get('type')?.trimmed ?? '';
  const tool = tools.find(({ name }) => name === type);
  if (tool === undefined) return { problems: [createUnknownActionProblem(type, tools)] };
  const { args, problems } = parseXmlFields(fields, tool, reader);
  if (problems.length > 0) return { problems };
  const { call, problem } = parseToolCall({ tool: type, args }, '<action>', reader);
  return call === undefined ? { problems: [problem] } : { call, problems: [] };
}

function parseXmlFields(fields: ReadonlyMap<string, FieldText>, tool: ToolDescription, reader: JsonReader) {
  const parameters = new Map(
    listParameters(tool).map((parameter) => [normalizeFieldName(parameter.name), parameter]),
  );
  const problems: ReplyProblem[] = [];
  const args: [string, Json][] = [];
  for (const [name, text] of fields) {
    const parameter = parameters.get(name);
    const value = parameter === undefined ? undefined : parseFieldValue(text, parameter, reader);
    if (name === 'type') continue;
    if (parameter === undefined) problems.push(createUnknownParameterProblem(name, tool.name, parameters));
    else if (value === undefined) problems.push(createTypeMismatchProblem(parameter, tool.name));
    else args.push([parameter.name, value]);
  }
  const missing = [...parameters].filter(([name, { isRequired }]) => isRequired && !fields.has(name));
  problems.push(...missing.map(([, parameter]) => createMissingParameterProblem(parameter, tool.name)));
  return { args: Object.fromEntries(args), problems };
}

/** Parses the text as the parameter's JSON type; undefined if it does not match. */
function parseFieldValue(
  { text, trimmed }: FieldText,
  parameter: ToolParameter,
  reader: JsonReader,
): Json | undefined {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i.test(trimmed) ? Number(trimmed) : undefined;
    case 'boolean':
      return /^(?:true|false)$/i.test(trimmed) ? trimmed.toLowerCase() === 'true' : undefined;
    case 'null':
      return null;
    case 'object':
      return reader(trimmed)?.value;
    case 'array':
      return parseListValue(trimmed, parameter, reader);
    default:
      // The `tags` parameter contains names, so whitespace around it is only layout.
      return normalizeFieldName(parameter.name) === 'tags' ? trimmed : text;
  }
}

/** A list of strings may also be comma-separated. */
function parseListValue(text: string, { schema }: ToolParameter, reader: JsonReader): Json | undefined {
  if (text.startsWith('[')) return reader(text)?.value;
  const type = getOwnJsonField(getOwnJsonField(schema, 'items'), 'type');
  if (type !== undefined && type !== 'string') return undefined;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function createUnknownActionProblem(type: string, tools: readonly ToolDescription[]): ReplyProblem {
  const names = tools.map(({ name }) => name);
  const location = '<type>';
  const hint = names.length === 0 ? 'Do not give an action now.' : `The actions are: ${names.join(', ')}.`;
  if (type === '') return { problem: 'the action has no type', location, hint };
  const nearest = findNearestName(type, names, 3);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return { problem: `there is no action ${formatShortValue(type)}`, location, hint: `${hint}${suggestion}` };
}

function createUnknownParameterProblem(
  name: string,
  type: string,
  parameters: ReadonlyMap<string, ToolParameter>,
): ReplyProblem {
  const names = [...parameters.values()].map((parameter) => parameter.name).join(', ');
  return {
    problem: `${type} has no parameter ${formatShortValue(name)}`,
    location: `<${name}>`,
    hint: names === '' ? 'Leave it out.' : `Its parameters are: ${names}.`,
  };
}

function createTypeMismatchProblem({ name, type }: ToolParameter, action: string): ReplyProblem {
  return {
    problem: `${name} of ${action} must be of type ${type}`,
    location: `<${name}>`,
    hint: `Write a JSON value of the type ${type}.`,
  };
}

function createMissingParameterProblem({ name }: ToolParameter, type: string): ReplyProblem {
  return { problem: `${type} needs ${name}`, location: '<action>', hint: `Add <${name}>…</${name}>.` };
}
