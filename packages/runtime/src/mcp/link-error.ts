import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { messageOf } from '../work.ts';
import { McpError } from './mcp-error.ts';
import type { McpServer } from './mcp-server.ts';
import { visibleText } from './untrusted-text.ts';

/** The server is gone, and this is how. */
export class LostError extends Error {
  override readonly name = 'LostError';
}

/** Why a server cannot be used, and what to do. */
export function explained(server: McpServer, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const who = `The MCP server ${server.name}`;
  if (error instanceof LostError)
    return new McpError('cannot-start', `${who} did not start. ${error.message}`, error);
  if (error instanceof SdkHttpError) {
    const advice = error.status === 401 || error.status === 403 ? 'Check its headers.' : 'Check its address.';
    return new McpError('cannot-start', `${who} answers with HTTP ${error.status}. ${advice}`, error);
  }
  if (isTimeout(error)) {
    const advice = 'Check that it is an MCP server, or allow it more time with startMs.';
    return new McpError('too-slow', `${who} started but did not answer in time. ${advice}`, error);
  }
  if (error instanceof TypeError && 'url' in server) {
    const why = error.cause === undefined ? error.message : messageOf(error.cause);
    return new McpError(
      'cannot-start',
      `${who} cannot be reached (${shown(why)}). Check that it runs and its address.`,
      error,
    );
  }
  const said = error instanceof ProtocolError ? 'refuses to work with us' : 'does not follow the protocol';
  return new McpError('bad-answer', `${who} ${said}: ${shown(messageOf(error))}`, error);
}

export function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** What a server says of an error is the server's text. */
export function shown(message: string): string {
  return visibleText(message, 1_000);
}
