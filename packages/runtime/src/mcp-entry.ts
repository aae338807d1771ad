export { createFileApprovalStore } from './mcp/approvals-file.ts';
export { createMemoryApprovalStore } from './mcp/approvals.ts';
export type { ApprovalStore, ToolApproval } from './mcp/approvals.ts';
export { connectMcpServer, connectMcpServers } from './mcp/connect-mcp.ts';
export type { McpConnections, McpOptions } from './mcp/connect-mcp.ts';
export type { McpConnection } from './mcp/connection.ts';
export {
  McpError,
  mcpLimits,
  type McpErrorCode,
  type McpCommandServer,
  type McpLimits,
  type McpServer,
  type McpUrlServer,
} from './mcp/mcp-server.ts';
export type { ToolReview } from './mcp/tool-registry.ts';
