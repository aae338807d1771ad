import type { Json, RequestedCall, ToolMessage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { ProtocolCodec, ProtocolLogName, ProtocolContext } from './codec.ts';
import {
  emptyReplyPayload,
  finalizeDecision,
  type ModelDecision,
  type ReplyProblem,
  type ReplyPayload,
} from './decision.ts';
import { normalizeFieldName } from './json-fields.ts';
import { createJsonReader } from './json-reader.ts';
import { formatToolOutcome } from './native.ts';
import { describeTool, listParameters, buildSamplePayload } from './parameters.ts';
import { extractSurroundingProse } from './prose.ts';
import { joinReasoning, splitReasoning } from './reasoning.ts';
import { createScanSource, type ScanSource } from './scan-source.ts';
import { parseXmlAction } from './xml-action.ts';
import { findAgentElement, type AgentElement } from './xml-elements.ts';
import { toElementText, escapeXmlText } from './xml-escape.ts';
import { tokenizeXml } from './xml-tokens.ts';

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

function formatJsonValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatXmlResult({ tool, outcome }: ToolMessage): string {
  const content = escapeXmlText(formatToolOutcome(outcome));
  return `<observation of="${escapeXmlText(tool)}" ok="${outcome.ok}">${content}</observation>`;
}
