import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '@pawl/governor';
import {
  getListField,
  getObjectField,
  getOwnField,
  getStringField,
  toJsonFields,
  type JsonFields,
} from '../../src/json-fields.ts';
import {
  startUpstream,
  type UpstreamReply,
  type UpstreamRequest,
  type UpstreamServer,
} from '../proxy/upstream.ts';
import { scriptedAnswer, type HostScript } from './scripts.ts';

/** A model server for one run of a coding agent. */
export type ScriptedModel = {
  readonly url: string;
  /** The requests of the agent's main loop. */
  readonly agentRequests: readonly UpstreamRequest[];
  /** What a strict provider would have rejected. */
  readonly problems: readonly string[];
  close(): Promise<void>;
};

/**
 * Starts a local server that plays a script, one reply per request, and ignores advice. It derives the step from the
 * history of the request, so that retries and requests for other purposes, such as titles, do not disturb it.
 */
export async function startScriptedModel(script: HostScript): Promise<ScriptedModel> {
  const agentRequests: UpstreamRequest[] = [];
  const problems: string[] = [];
  const server: UpstreamServer = await startUpstream((request) => {
    if (!isModelRequest(request)) return sendNotFound;
    const history = readHistory(request.body);
    problems.push(...listHistoryProblems(history));
    const tool = findShellTool(request.body);
    const callCount = history.filter(({ type }) => type === 'call').length;
    const isAgent = tool !== null || callCount > 0;
    if (isAgent) agentRequests.push(request);
    return isAgent ? createReply(tool, findReply(script, callCount)) : { text: 'Notes' };
  });
  return { url: server.url, agentRequests, problems, close: () => server.close() };
}

function isModelRequest({ path }: UpstreamRequest): boolean {
  return /\/(?:chat\/completions|responses|v1\/messages)(?:\?|$)|:(?:streamG|g)enerateContent/.test(path);
}

function sendNotFound(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'not found', code: 404, status: 'NOT_FOUND' } }));
}

/** Returns the commands of the next reply. */
function findReply({ replies }: HostScript, callCount: number): readonly string[] {
  let callsBefore = 0;
  for (const commands of replies) {
    if (callsBefore >= callCount) return commands;
    callsBefore += commands.length;
  }
  return [];
}

function createReply(tool: ShellTool | null, commands: readonly string[]): UpstreamReply {
  return tool === null || commands.length === 0
    ? { text: scriptedAnswer }
    : { calls: commands.map((command) => ({ tool: tool.name, args: createArguments(tool, command) })) };
}

/** A call of a conversation, or the result of one. */
type HistoryItem = { readonly type: 'call' | 'result'; readonly id: string };

/** Reads the calls and results of a conversation in any of the wire formats. A part without an id is known by its tool. */
function readHistory(body: JsonFields): readonly HistoryItem[] {
  return listHistoryParts(body).flatMap((part): readonly HistoryItem[] => {
    const type = getStringField(part, 'type');
    const call = toJsonFields(getOwnField(part, 'functionCall'));
    const response = toJsonFields(getOwnField(part, 'functionResponse'));
    if (type === 'tool_use') return [{ type: 'call', id: getStringField(part, 'id') }];
    if (type === 'tool_result') return [{ type: 'result', id: getStringField(part, 'tool_use_id') }];
    if (/^(?:function|custom_tool|local_shell)_call$/.test(type))
      return [{ type: 'call', id: getStringField(part, 'call_id') }];
    if (type.endsWith('_call_output')) return [{ type: 'result', id: getStringField(part, 'call_id') }];
    if (getStringField(part, 'role') === 'tool')
      return [{ type: 'result', id: getStringField(part, 'tool_call_id') }];
    if (call !== null) return [{ type: 'call', id: getPartId(call) }];
    if (response !== null) return [{ type: 'result', id: getPartId(response) }];
    return getListField(part, 'tool_calls').map((each) => ({
      type: 'call',
      id: getStringField(toJsonFields(each) ?? {}, 'id'),
    }));
  });
}

function getPartId(fields: JsonFields): string {
  return getStringField(fields, 'id') || getStringField(fields, 'name');
}

/** The messages, and the parts of messages that consist of parts. */
function listHistoryParts(body: JsonFields): readonly JsonFields[] {
  const messages = ['messages', 'input', 'contents'].flatMap((name) => getListField(body, name));
  return messages.flatMap((each: Json) => {
    const message = toJsonFields(each) ?? {};
    const parts = ['content', 'parts'].flatMap((name) => getListField(message, name));
    return [message, ...parts.map((part: Json) => toJsonFields(part) ?? {})];
  });
}

/** Providers reject a call without a result before the next reply, and a result without a call. */
function listHistoryProblems(history: readonly HistoryItem[]): readonly string[] {
  const open: string[] = [];
  let isAnswering = false;
  for (const { type, id } of history) {
    if (type === 'call' && isAnswering && open.length > 0)
      return [`call ${id} comes before the results of ${open.join(' ')}`];
    if (type === 'result' && !open.includes(id)) return [`result ${id} has no call`];
    isAnswering = type === 'result';
    if (type === 'call') open.push(id);
    else open.splice(open.indexOf(id), 1);
  }
  return open.length === 0 ? [] : [`calls ${open.join(' ')} have no result`];
}

type ShellTool = { readonly name: string; readonly schema: JsonFields };

const shellToolNames =
  /^(?:Bash|bash|shell|shell_command|exec_command|run_shell_command|execute_command|run_commands?|run_terminal_command|local_shell)$/;

/** Finds the tool that runs commands; null if none is offered, or if the request forbids calls. */
function findShellTool(body: JsonFields): ShellTool | null {
  if (isCallForbidden(body)) return null;
  for (const each of getListField(body, 'tools')) {
    const tool = toJsonFields(each) ?? {};
    const declared = getListField(tool, 'functionDeclarations').map((one: Json) => toJsonFields(one) ?? {});
    for (const one of [tool, getObjectField(tool, 'function'), ...declared]) {
      const name = getStringField(one, 'name');
      if (shellToolNames.test(name)) return { name, schema: findSchema(one) };
    }
  }
  return null;
}

function findSchema(tool: JsonFields): JsonFields {
  for (const name of ['input_schema', 'parameters', 'parametersJsonSchema'])
    if (toJsonFields(getOwnField(tool, name)) !== null) return getObjectField(tool, name);
  return {};
}

function isCallForbidden(body: JsonFields): boolean {
  const choice = getOwnField(body, 'tool_choice');
  const mode = getStringField(
    getObjectField(getObjectField(body, 'toolConfig'), 'functionCallingConfig'),
    'mode',
  );
  return (
    choice === 'none' ||
    getStringField(toJsonFields(choice ?? null) ?? {}, 'type') === 'none' ||
    mode === 'NONE'
  );
}

/** Fills in the required arguments: the command, and any value of the right type for the others. */
function createArguments({ schema }: ShellTool, command: string): JsonFields {
  const properties = getObjectField(schema, 'properties');
  const required = new Set(getListField(schema, 'required'));
  const entries = Object.keys(properties).flatMap((name) => {
    const property = getObjectField(properties, name);
    const type = getStringField(property, 'type').toLowerCase();
    if (/^(?:command|cmd|commands|script)$/.test(name))
      return [[name, type === 'array' ? createCommandList(name, command) : command] as const];
    return required.has(name) ? [[name, createAnyValue(type)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function createCommandList(name: string, command: string): Json {
  return name === 'commands' ? [command] : ['bash', '-lc', command];
}

function createAnyValue(type: string): Json {
  switch (type) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 10;
    case 'array':
      return [];
    default:
      return 'Reads a file.';
  }
}
