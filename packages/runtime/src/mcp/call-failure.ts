import { INVALID_PARAMS, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { ToolErrorKind } from '@pawl/core';
import type { ToolResult } from '../tools/tool.ts';
import { messageOf } from '../work.ts';
import { isTimeout, shown } from './link-error.ts';
import type { Link } from './link.ts';

export type CallFailure = {
  readonly result: ToolResult;
  /**
   * `answered` the server is well · `silent` it may be · `broken` another connection is needed · `expired` the same, and
   * the call was never taken.
   */
  readonly link: 'answered' | 'silent' | 'broken' | 'expired';
};

type Failing = {
  readonly server: string;
  readonly link: Link;
  readonly signal: AbortSignal;
  readonly callMs: number;
};

const unsure = 'The call may have run fully, partly or not at all: check before you repeat it.';

/** What a call that came to no answer is for the model, and for the connection. */
export function callFailure(error: unknown, { server, link, signal, callMs }: Failing): CallFailure {
  if (signal.aborted)
    return failed('interrupted', `Called off while ${server} was at work. ${unsure}`, 'silent');
  if (link.lost.aborted) {
    const how = messageOf(link.lost.reason);
    const message = `The MCP server ${server} went away during this call. ${how} ${unsure} The server is started again with the next call.`;
    return failed('failed', message, 'broken');
  }
  if (isTimeout(error)) {
    const message = `The MCP server ${server} did not answer within ${callMs} ms and was told to stop. ${unsure}`;
    return failed('timeout', message, 'silent');
  }
  if (error instanceof ProtocolError) {
    const kind = error.code === INVALID_PARAMS ? 'invalid' : 'failed';
    return failed(kind, `The MCP server ${server} refuses the call: ${shown(error.message)}`, 'answered');
  }
  if (error instanceof SdkHttpError) {
    const message = `The MCP server ${server} answers with HTTP ${error.status}. It is reached anew with the next call.`;
    return failed('failed', message, error.status === 404 ? 'expired' : 'broken');
  }
  const why =
    error instanceof TypeError && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
  const message = `The call of the MCP server ${server} failed: ${shown(why)} ${unsure} The server is reached anew with the next call.`;
  return failed('failed', message, 'broken');
}

function failed(kind: ToolErrorKind, message: string, link: CallFailure['link']): CallFailure {
  return { result: { ok: false, error: { kind, message } }, link };
}
