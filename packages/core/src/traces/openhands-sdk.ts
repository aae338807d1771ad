import type { Json } from '../json.ts';
import { contentText } from './content.ts';
import type { Entry, Part } from './entry.ts';
import { hasFailed } from './exit-code.ts';
import { booleanOf, get, idOf, isObject, listOf, numberOf, stringOf, unpacked } from '../json-fields.ts';
import { timeOf } from './time.ts';

const kinds: ReadonlySet<Json | undefined> = new Set([
  'ActionEvent',
  'ObservationEvent',
  'AgentErrorEvent',
  'UserRejectObservation',
  'MessageEvent',
  'SystemPromptEvent',
]);

export function isSdkEvent(event: Json): boolean {
  return kinds.has(get(event, 'kind'));
}

/** Events about the program itself, such as a new state or a shortened history, say nothing here. */
export function* sdkEntries(event: Json, where: string): Generator<Entry> {
  const at = timeOf(get(event, 'timestamp'));
  switch (get(event, 'kind')) {
    case 'MessageEvent': {
      const text = contentText(get(event, 'llm_message', 'content'));
      if (get(event, 'source') === 'user') yield { type: 'user', text, at };
      else yield { type: 'reply', parts: [{ type: 'text', text }], at };
      return;
    }
    case 'ActionEvent':
      yield { type: 'reply', parts: actionParts(event), key: idOf(get(event, 'llm_response_id')), at };
      return;
    case 'ObservationEvent':
      yield observed(event, where);
      return;
    case 'AgentErrorEvent':
      yield { type: 'result', id: callId(event), result: get(event, 'error'), error: true, where };
      return;
    case 'UserRejectObservation':
      yield { type: 'result', id: callId(event), result: get(event, 'rejection_reason'), error: true, where };
      return;
    default:
  }
}

function actionParts(event: Json): readonly Part[] {
  const thought = stringOf(get(event, 'reasoning_content')) ?? '';
  const text = contentText(get(event, 'thought'));
  const call = get(event, 'tool_call');
  const given = unpacked(get(call, 'arguments') ?? get(call, 'function', 'arguments'));
  const tool = stringOf(get(event, 'tool_name')) ?? stringOf(get(call, 'name')) ?? 'unknown';
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    { type: 'call', id: callId(event), tool, args: given ?? withoutKind(get(event, 'action')) },
  ];
}

function observed(event: Json, where: string): Entry {
  const observation = get(event, 'observation');
  const output =
    listOf(get(observation, 'content')) ?? get(observation, 'content') ?? get(observation, 'output');
  const result = output === undefined ? withoutKind(observation) : contentText(output);
  const text = typeof result === 'string' ? result : '';
  return { type: 'result', id: callId(event), result, error: failedBy(observation, text), where };
}

function failedBy(observation: Json | undefined, output: string): boolean | undefined {
  const exitCode =
    numberOf(get(observation, 'exit_code')) ?? numberOf(get(observation, 'metadata', 'exit_code'));
  const flag = booleanOf(get(observation, 'is_error')) ?? booleanOf(get(observation, 'error'));
  if (flag === true || typeof get(observation, 'error') === 'string') return true;
  // It stands for a command that is still at work.
  if (exitCode !== undefined && exitCode !== -1) return hasFailed(exitCode, output);
  return flag;
}

function callId(event: Json): string | undefined {
  return idOf(get(event, 'tool_call_id'));
}

function withoutKind(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'kind'));
}
