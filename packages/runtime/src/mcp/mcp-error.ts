export type McpErrorCode =
  /** The description of the server cannot be meant. */
  | 'bad-server'
  | 'cannot-start'
  | 'too-slow'
  /** It runs, but what it says is not the protocol. */
  | 'bad-answer'
  | 'approvals'
  | 'closed';

/** An MCP server that cannot be used. The message says which one, what is wrong, and what to do. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
