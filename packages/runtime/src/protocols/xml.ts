import type { Json, RequestedCall, ToolMessage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { Codec, LogName, ProtocolContext } from './codec.ts';
import { nothingSaid, settle, type ModelDecision, type Problem, type Said } from './decision.ts';
import { plainName } from './fields.ts';
import { createJsonReader } from './json-read.ts';
import { resultText } from './native.ts';
import { describeTool, parametersOf, sampleSaid } from './parameters.ts';
import { proseAround } from './prose.ts';
import { joined, withoutReasoning } from './reasoning.ts';
import { sourceOf, type Source } from './source.ts';
import { readAction } from './xml-action.ts';
import { readAgent, type AgentElement } from './xml-elements.ts';
import { elementText, escapeXml } from './xml-escape.ts';
import { tokenise } from './xml-tokens.ts';

/** One `<agent>` element in the text of the reply: a next state, logs, an action. It has no final answer. */
export const xmlCodec: Codec = {
  name: 'xml',
  instructions,
  example(context) {
    const said = sampleSaid(context);
    return encode({ ...said, logs: sampleLogs(context, said.calls.length === 0) }, context).text;
  },
  decode: ({ text }, context) => {
    const { think, rest } = withoutReasoning(text);
    return decodeXml(sourceOf(rest), think, context);
  },
  encode,
  observe: (results) => results.map(observation).join('\n'),
};

/** `think` is what the model thought before it wrote the text. */
export function decodeXml(source: Source, think: string | null, context: ProtocolContext): ModelDecision {
  const { callsMax } = context;
  const agent = readAgent(source, tokenise(source, elementNames(context.tools)));
  if (agent === null) {
    const said = { ...nothingSaid, text: source.text.trim(), logs: { ...nothingSaid.logs, think } };
    return settle({ said, problems: [missing], isTraced: false, callsMax });
  }
  const reader = createJsonReader();
  const read = agent.actions.map(({ fields }) => readAction(fields, context.tools, reader));
  const calls = read.map(({ call }) => call).filter((call): call is RequestedCall => call !== undefined);
  const problems = read.flatMap((each) => each.problems);
  const said: Said = {
    ...nothingSaid,
    text: proseAround(source, agent),
    calls,
    nextState: agent.nextState,
    logs: { think: joined(think, agent.think), evaluation: agent.evaluation },
  };
  return settle({
    said,
    problems: [...agent.problems, ...problems],
    isTraced: isTraced(agent, source),
    callsMax,
  });
}

/** Prose may name a tag or two; an agent element has something in it, or is all there is. */
function isTraced({ nextState, think, evaluation, actions, start }: AgentElement, source: Source): boolean {
  if ((nextState ?? think ?? evaluation) !== null || actions.length > 0) return true;
  return source.slice(0, start).trim() === '';
}

const missing: Problem = {
  what: 'there is no <agent> element',
  where: 'the whole reply',
  hint: 'Reply with one <agent> element and nothing else.',
};

function elementNames(tools: readonly ToolDescription[]): ReadonlySet<string> {
  const parameters = tools.flatMap((tool) => parametersOf(tool).map(({ name }) => plainName(name)));
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

function instructions({ tools, states, logs, callsMax }: ProtocolContext): string {
  const count = callsMax === 1 ? 'one <action>' : 'one or more <action>';
  const lines = [
    'Reply with valid XML: one <agent> element and nothing else.',
    ...(states.length > 0 ? [`- <next_state> says where to go next: ${states.join(', ')}.`] : []),
    ...logs.map((log) => `- <${log}> may hold a note for later.`),
    ...(tools.length > 0
      ? [
          `- To have something done, give ${count}: <type> names it, the other elements are its parameters.`,
          ...(states.length > 0 ? ['- With an <action>, <next_state> is not looked at.'] : []),
          '- Text with < or & in it goes between <![CDATA[ and ]]>.',
          'The actions are:',
          ...tools.map(describeTool),
        ]
      : []),
  ];
  return lines.join('\n');
}

function sampleLogs({ logs }: ProtocolContext, isThinking: boolean): Said['logs'] {
  const note = (name: LogName | undefined) => (isThinking && name !== undefined ? 'what led to this' : null);
  return {
    think: note(thinkName(logs)),
    evaluation: note(logs.find((log) => log === 'evaluation_log')),
  };
}

/** Each profile has its own name for this log. */
function thinkName(logs: readonly LogName[]): LogName | undefined {
  return logs.find((log) => log !== 'evaluation_log');
}

function encode({ text, calls, nextState, logs }: Said, context: ProtocolContext) {
  const lines = [
    ...(nextState === null ? [] : [element('next_state', nextState)]),
    ...(logs.think === null ? [] : [element(thinkName(context.logs) ?? 'think_log', logs.think)]),
    ...(logs.evaluation === null ? [] : [element('evaluation_log', logs.evaluation)]),
    ...calls.map(actionElement),
  ];
  const agent = ['<agent>', ...lines, '</agent>'].join('\n');
  return { text: text === '' ? agent : `${text}\n${agent}`, calls: [] };
}

function actionElement({ tool, args }: RequestedCall): string {
  const fields = args !== null && typeof args === 'object' ? Object.entries(args as object) : [];
  const parameters = fields.map(([name, value]) => element(name, plainText(value as Json)));
  return ['<action>', element('type', tool), ...parameters, '</action>'].join('\n');
}

function element(name: string, text: string): string {
  return `<${name}>${elementText(text)}</${name}>`;
}

function plainText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function observation({ tool, outcome }: ToolMessage): string {
  const content = escapeXml(resultText(outcome));
  return `<observation of="${escapeXml(tool)}" ok="${outcome.ok}">${content}</observation>`;
}
