export type McpErrorCode =
  /** The server's configuration is invalid. */
  | 'bad-server'
  | 'cannot-start'
  | 'too-slow'
  /** The server runs but does not follow the protocol. */
  | 'bad-answer'
  | 'approvals'
  | 'closed';

/** An MCP server cannot be used. The message names the server, the problem and the fix. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
