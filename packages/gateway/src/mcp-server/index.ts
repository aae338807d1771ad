export { createMcpServer, type McpServerOptions } from './server.ts';
export { serveMcpOverStdio, type ServeMcpOptions } from './server.ts';
