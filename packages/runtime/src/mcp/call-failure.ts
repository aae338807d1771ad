import { INVALID_PARAMS, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { ToolErrorKind } from '@pawl/core';
import type { ToolResult } from '../tools/tool.ts';
import { getErrorMessage } from '../agent-dependencies.ts';
import { isRequestTimeout, formatServerText } from './link-error.ts';
import type { McpLink } from './link.ts';

export type CallFailure = {
  readonly result: ToolResult;
  /**
   * `answered`: the server works · `silent`: its state is unknown · `broken`: a new connection is needed · `expired`: a
   * new connection is needed, and the call was not executed.
   */
  readonly link: 'answered' | 'silent' | 'broken' | 'expired';
};

type CallFailureContext = {
  readonly server: string;
  readonly link: McpLink;
  readonly signal: AbortSignal;
  readonly callMs: number;
};

const uncertainOutcomeText = 'The call may have run fully, partly or not at all: check before you repeat it.';

/** Classifies a failed call: the tool result for the model and the state of the link. */
export function classifyCallFailure(
  error: unknown,
  { server, link, signal, callMs }: CallFailureContext,
): CallFailure {
  if (signal.aborted)
    return createCallFailure(
      'interrupted',
      `Called off while ${server} was at work. ${uncertainOutcomeText}`,
      'silent',
    );
  if (link.lost.aborted) {
    const reason = getErrorMessage(link.lost.reason);
    const message = `The MCP server ${server} went away during this call. ${reason} ${uncertainOutcomeText} The server is started again with the next call.`;
    return createCallFailure('failed', message, 'broken');
  }
  if (isRequestTimeout(error)) {
    const message = `The MCP server ${server} did not answer within ${callMs} ms and was told to stop. ${uncertainOutcomeText}`;
    return createCallFailure('timeout', message, 'silent');
  }
  if (error instanceof ProtocolError) {
    const kind = error.code === INVALID_PARAMS ? 'invalid' : 'failed';
    return createCallFailure(
      kind,
      `The MCP server ${server} refuses the call: ${formatServerText(error.message)}`,
      'answered',
    );
  }
  if (error instanceof SdkHttpError) {
    const message = `The MCP server ${server} answers with HTTP ${error.status}. It is reached anew with the next call.`;
    return createCallFailure('failed', message, error.status === 404 ? 'expired' : 'broken');
  }
  const reason =
    error instanceof TypeError && error.cause !== undefined
      ? getErrorMessage(error.cause)
      : getErrorMessage(error);
  const message = `The call of the MCP server ${server} failed: ${formatServerText(reason)} ${uncertainOutcomeText} The server is reached anew with the next call.`;
  return createCallFailure('failed', message, 'broken');
}

function createCallFailure(kind: ToolErrorKind, message: string, link: CallFailure['link']): CallFailure {
  return { result: { ok: false, error: { kind, message } }, link };
}
