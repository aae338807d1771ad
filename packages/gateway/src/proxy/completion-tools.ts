import type { Json } from '@pawl/governor';
import {
  getListField,
  getObjectField,
  getStringField,
  toJsonFields,
  type JsonFields,
} from '../json-fields.ts';
import { parseMessageTurns } from './conversation-turns.ts';
import type { RequestTool, RequestedProxyCall } from './wire-format.ts';

/**
 * The tools by which known agents end their own work. An agent that has one does not accept a plain answer: it asks
 * again until the tool is called. docs/proxy.md lists them.
 */
const knownCompletionTools: readonly string[] = [
  // Cline, Roo Code, Kilo Code
  'attempt_completion',
  // Cline SDK
  'submit_and_exit',
  // OpenHands, AutoGPT
  'finish',
  // SWE-agent
  'submit',
  'exit',
  // Gemini CLI subagents
  'complete_task',
  // Copilot CLI
  'task_complete',
  // Trae Agent
  'task_done',
  // smolagents
  'final_answer',
  // OpenManus
  'terminate',
  // Browser Use
  'done',
  'finish_task',
  'submit_answer',
];

/** Returns a predicate for the names of completion tools, known and additional ones. Case does not matter. */
export function createCompletionToolFilter(additional: readonly string[]): (name: string) => boolean {
  const names = new Set([...knownCompletionTools, ...additional].map((name) => name.toLowerCase()));
  return (name) => names.has(name.toLowerCase());
}

/** After this many consecutive calls that did not end the agent's work, the proxy answers with text only. */
const maxCompletionCalls = 3;

/** Builds the call that ends the work of an agent; null if it has no completion tool or ignores it. */
export function buildCompletionCall(
  tool: RequestTool | undefined,
  text: string,
  messages: readonly JsonFields[],
): RequestedProxyCall | null {
  if (tool === undefined || countCompletionCalls(tool.name, messages) >= maxCompletionCalls) return null;
  return { tool: tool.name, args: buildCompletionArguments(tool.parameters, text) };
}

/** Counts the consecutive latest replies that called the tool. */
function countCompletionCalls(tool: string, messages: readonly JsonFields[]): number {
  const replies = messages.flatMap(parseMessageTurns).filter((turn) => turn.kind === 'reply');
  const other = replies.findLastIndex(({ calls }) => !calls.some((call) => call.tool === tool));
  return replies.length - 1 - other;
}

/** The parameters that hold an answer, most specific first. */
const answerParameters: readonly string[] = [
  'result',
  'final_answer',
  'answer',
  'summary',
  'output',
  'response',
  'message',
  'text',
  'content',
  'reason',
];

/** Fills the required parameters of a completion tool, and the one that holds the answer. */
function buildCompletionArguments(parameters: JsonFields, text: string): JsonFields {
  const properties = getObjectField(parameters, 'properties');
  const required = getListField(parameters, 'required').filter((name) => typeof name === 'string');
  const names = Object.keys(properties);
  if (names.length === 0 && required.length === 0)
    return Object.hasOwn(parameters, 'properties') ? {} : { result: text };
  const isText = (name: string): boolean =>
    getSchemaType(getObjectField(properties, name)) === 'string' &&
    getListField(getObjectField(properties, name), 'enum').length === 0;
  const answer =
    answerParameters.find((name) => names.includes(name) && isText(name)) ?? required.find(isText);
  const filled = required.map((name) => [name, buildSampleValue(getObjectField(properties, name), text)]);
  return Object.fromEntries([...filled, ...(answer === undefined ? [] : [[answer, text]])]) as JsonFields;
}

/** Values of a status parameter that do not claim success. */
const unsuccessfulValue = /fail|error|abort|incomplete|partial|block|stop|false|no\b/i;

/** Builds a valid value of a parameter. Where it states an outcome, it does not claim success. */
function buildSampleValue(schema: JsonFields, text: string): Json {
  const values = getListField(schema, 'enum');
  if (values.length > 0)
    return values.find((value) => unsuccessfulValue.test(JSON.stringify(value))) ?? values[0] ?? null;
  switch (getSchemaType(schema)) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    case 'array':
      return [];
    case 'object':
      return buildCompletionArguments({ properties: {}, ...schema }, text);
    case 'null':
      return null;
    default:
      return text;
  }
}

/** Returns the type of a JSON schema in lower case, because Gemini writes it in upper case; "string" if unspecified. */
function getSchemaType(schema: JsonFields): string {
  const type = getStringField(schema, 'type') || getListField(schema, 'type').find((each) => each !== 'null');
  if (typeof type === 'string' && type !== '') return type.toLowerCase();
  const variants = [...getListField(schema, 'anyOf'), ...getListField(schema, 'oneOf')].map(toJsonFields);
  return getStringField(variants.find((each) => each !== null) ?? {}, 'type').toLowerCase() || 'string';
}
