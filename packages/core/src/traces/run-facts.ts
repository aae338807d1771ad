import type { Json } from '../json.ts';
import { booleanOf, get, idOf, listOf, numberOf, stringOf, unpacked } from '../json-fields.ts';
import type { RecordedRun } from './recorded-run.ts';

export type RunFacts = Omit<RecordedRun, 'steps'>;

const idNames = ['id', 'instance_id', 'task_id', 'session_id', 'conversation_id', 'trace_id', 'run_id'];

/** What a document says of its run, beside the steps. */
export function runFacts(document: Json, name: string, source: string): RunFacts {
  const model = stringOf(get(document, 'model'));
  const success = successOf(document);
  const task = stringOf(get(document, 'task')) ?? stringOf(get(document, 'problem_statement'));
  return {
    id: firstId(document) ?? name,
    source,
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(task === undefined ? {} : { task }),
  };
}

/** Whether the task was solved, where benchmarks write it. */
export function successOf(document: Json | undefined): boolean | undefined {
  const said = booleanOf(get(document, 'resolved')) ?? booleanOf(get(document, 'success'));
  if (said !== undefined) return said;
  const reward = numberOf(get(document, 'reward'));
  return reward === undefined ? undefined : reward >= 1 - 1e-6;
}

/** The messages of a conversation, however they are wrapped; and where they are. */
export function messagesOf(
  document: Json,
): { readonly messages: readonly Json[]; readonly where: string } | null {
  const bare = listOf(document);
  if (bare !== undefined) return { messages: bare, where: '' };
  for (const path of [
    ['messages'],
    ['values', 'messages'],
    ['outputs', 'messages'],
    ['request', 'messages'],
  ]) {
    const messages = listOf(unpacked(get(document, ...path)));
    if (messages !== undefined) return { messages, where: path.join('.') };
  }
  return null;
}

function firstId(document: Json): string | undefined {
  for (const name of idNames) {
    const id = idOf(get(document, name));
    if (id !== undefined) return id;
  }
  return undefined;
}
