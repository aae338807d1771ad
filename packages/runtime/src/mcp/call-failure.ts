import { INVALID_PARAMS, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { ToolErrorKind } from '@pawl/core';
import type { ToolResult } from '../tools/tool.ts';
import { getErrorMessage } from '../text/one-line.ts';
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

const uncertainOutcomeText =
  'The call may have completed fully, partially or not at all. Check before you repeat it.';

/** Classifies a failed call: the tool result for the model and the state of the link. */
export function classifyCallFailure(
  error: unknown,
  { server, link, signal, callMs }: CallFailureContext,
): CallFailure {
  if (signal.aborted)
    return createCallFailure(
      'interrupted',
      `Cancelled while ${server} was running it. ${uncertainOutcomeText}`,
      'silent',
    );
  if (link.lost.aborted) {
    const reason = getErrorMessage(link.lost.reason);
    const message = `The MCP server ${server} disconnected during this call. ${reason} ${uncertainOutcomeText} The next call restarts the server.`;
    return createCallFailure('failed', message, 'broken');
  }
  if (isRequestTimeout(error)) {
    const message = `The MCP server ${server} did not respond within ${callMs} ms, so the call was cancelled. ${uncertainOutcomeText}`;
    return createCallFailure('timeout', message, 'silent');
  }
  if (error instanceof ProtocolError) {
    const kind = error.code === INVALID_PARAMS ? 'invalid' : 'failed';
    return createCallFailure(
      kind,
      `The MCP server ${server} rejected the call: ${formatServerText(error.message)}`,
      'answered',
    );
  }
  if (error instanceof SdkHttpError) {
    const message = `The MCP server ${server} responded with HTTP ${error.status}. The next call reconnects.`;
    return createCallFailure('failed', message, error.status === 404 ? 'expired' : 'broken');
  }
  const reason =
    error instanceof TypeError && error.cause !== undefined
      ? getErrorMessage(error.cause)
      : getErrorMessage(error);
  const message = `The call to the MCP server ${server} failed: ${formatServerText(reason)} ${uncertainOutcomeText} The next call reconnects.`;
  return createCallFailure('failed', message, 'broken');
}

function createCallFailure(kind: ToolErrorKind, message: string, link: CallFailure['link']): CallFailure {
  return { result: { ok: false, error: { kind, message } }, link };
}
