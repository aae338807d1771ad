import type { Json } from '../json.ts';
import {
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
  parseNestedJson,
} from '../json-fields.ts';
import type { RecordedRun } from './recorded-run.ts';

export type TraceRunFacts = Omit<RecordedRun, 'steps'>;

const runIdNames = ['id', 'instance_id', 'task_id', 'session_id', 'conversation_id', 'trace_id', 'run_id'];

/** Reads the facts about a run other than its steps. */
export function readRunFacts(document: Json, name: string, source: string): TraceRunFacts {
  const model = toOptionalString(getJsonPath(document, 'model'));
  const success = readRunSuccess(document);
  const task =
    toOptionalString(getJsonPath(document, 'task')) ??
    toOptionalString(getJsonPath(document, 'problem_statement'));
  return {
    id: findRunId(document) ?? name,
    source,
    ...(model === undefined ? {} : { model }),
    ...(success === undefined ? {} : { success }),
    ...(task === undefined ? {} : { task }),
  };
}

/** Reads whether the task was solved, in the fields benchmarks use. */
export function readRunSuccess(document: Json | undefined): boolean | undefined {
  const said =
    toOptionalBoolean(getJsonPath(document, 'resolved')) ??
    toOptionalBoolean(getJsonPath(document, 'success'));
  if (said !== undefined) return said;
  const reward = toOptionalNumber(getJsonPath(document, 'reward'));
  return reward === undefined ? undefined : reward >= 1 - 1e-6;
}

/** Finds the messages of a conversation in any known wrapper, and their path. */
export function findMessages(
  document: Json,
): { readonly messages: readonly Json[]; readonly where: string } | null {
  const bare = toOptionalList(document);
  if (bare !== undefined) return { messages: bare, where: '' };
  for (const path of [
    ['messages'],
    ['values', 'messages'],
    ['outputs', 'messages'],
    ['request', 'messages'],
  ]) {
    const messages = toOptionalList(parseNestedJson(getJsonPath(document, ...path)));
    if (messages !== undefined) return { messages, where: path.join('.') };
  }
  return null;
}

function findRunId(document: Json): string | undefined {
  for (const name of runIdNames) {
    const id = toOptionalId(getJsonPath(document, name));
    if (id !== undefined) return id;
  }
  return undefined;
}
