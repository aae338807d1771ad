import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { getErrorMessage } from '../text/one-line.ts';
import { McpError } from './mcp-error.ts';
import type { McpServer } from './mcp-server.ts';
import { sanitizeServerText } from './untrusted-text.ts';

/** The connection to the server was lost; the message says why. */
export class ConnectionLostError extends Error {
  override readonly name = 'LostError';
}

/** Converts an error into an `McpError` that explains the problem and the fix. */
export function toMcpError(server: McpServer, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const subject = `The MCP server ${server.name}`;
  if (error instanceof ConnectionLostError)
    return new McpError('cannot-start', `${subject} did not start. ${error.message}`, error);
  if (error instanceof SdkHttpError) {
    const advice = error.status === 401 || error.status === 403 ? 'Check its headers.' : 'Check its URL.';
    return new McpError('cannot-start', `${subject} responded with HTTP ${error.status}. ${advice}`, error);
  }
  if (isRequestTimeout(error)) {
    const advice = 'Check that it is an MCP server, or increase startMs.';
    return new McpError('too-slow', `${subject} started but did not respond in time. ${advice}`, error);
  }
  if (error instanceof TypeError && 'url' in server) {
    const reason = error.cause === undefined ? error.message : getErrorMessage(error.cause);
    return new McpError(
      'cannot-start',
      `${subject} cannot be reached (${formatServerText(reason)}). Check that it is running and that its URL is correct.`,
      error,
    );
  }
  const problem = error instanceof ProtocolError ? 'rejected the connection' : 'does not follow the protocol';
  return new McpError(
    'bad-answer',
    `${subject} ${problem}: ${formatServerText(getErrorMessage(error))}`,
    error,
  );
}

export function isRequestTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** Sanitizes an error message, because the server wrote it. */
export function formatServerText(message: string): string {
  return sanitizeServerText(message, 1_000);
}
