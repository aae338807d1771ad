import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { getErrorMessage } from '../text/one-line.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import type { McpLimits } from './mcp-server.ts';
import { MessageLines, type MessageLine } from './message-lines.ts';
import {
  startProcessGroup,
  type ProcessExit,
  type ProcessLaunch,
  type ProcessGroup,
} from './process-group.ts';
import { sanitizeServerText } from './untrusted-text.ts';

/** Deeper messages have no use, and parsing them could overflow the stack. */
const messageDepthMax = 100;

/**
 * Creates a transport to a server that runs as a child process. Unlike the client library's transport, it passes only
 * the given environment, kills all of the server's processes when the server or this process ends, and limits its
 * output.
 */
export function createStdioTransport(
  launch: ProcessLaunch,
  limits: McpLimits,
  /** Called once, with the reason and the end of the server's standard error. */
  onEnd: (reason: string) => void,
): Transport {
  const lines = new MessageLines(limits.messageBytes, limits.floodBytes);
  let group: ProcessGroup | null = null;
  let stderr = '';
  let garbageBytes = 0;
  let isClosed = false;

  const transport: Transport = {
    async start() {
      const started = startProcessGroup(launch);
      group = started;
      started.stderr.on('data', (chunk: Buffer) => {
        stderr = (stderr + chunk.toString('utf8')).slice(-limits.stderrBytes);
      });
      started.stdout.on('data', (chunk: Buffer) => {
        for (const line of lines.addChunk(chunk)) if (!isClosed) handleLine(line);
      });
      void started.ended.then(
        (exit) => closeWithReason(describeExit(launch.command, exit)),
        (error: unknown) => closeWithReason(getErrorMessage(error)),
      );
    },
    async send(message) {
      if (group === null || isClosed) throw new Error('The server has exited.');
      group.stdin.write(serializeMessage(message));
      if (group.stdin.writableLength > limits.unsentBytes)
        closeWithReason('It does not read its standard input.');
    },
    async close() {
      await group?.end(limits.closeMs);
    },
  };

  function handleLine(line: MessageLine): void {
    if (line.kind === 'endless')
      return closeWithReason(`It wrote a message of more than ${limits.floodBytes} bytes.`);
    const message =
      line.kind === 'line'
        ? parseServerMessage(line.text)
        : createOversizedResponse(line, limits.messageBytes);
    if (message !== null) {
      garbageBytes = 0;
      transport.onmessage?.(message);
      return;
    }
    garbageBytes += line.kind === 'line' ? line.text.length : limits.messageBytes;
    if (garbageBytes > limits.garbageBytes)
      closeWithReason('It writes output that is not MCP to standard output.');
  }

  /** Marks the transport as closed, fails pending requests at once and kills the process group. */
  function closeWithReason(reason: string): void {
    if (isClosed) return;
    isClosed = true;
    const stderrText =
      stderr.trim() === '' ? '' : ` Standard error: ${sanitizeServerText(stderr.trim(), limits.stderrBytes)}`;
    onEnd(`${reason}${stderrText}`);
    transport.onclose?.();
    void group?.end(0);
  }

  return transport;
}

function parseServerMessage(text: string): JSONRPCMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Some servers log to standard output; lines that are not messages are ignored.
    return null;
  }
  if (isDeeperThan(value, messageDepthMax))
    return createErrorResponse(findResponseId(value), 'It is nested too deeply.');
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return createErrorResponse(findResponseId(value), 'It does not follow the protocol.');
  }
}

/** Answers an oversized response with an error, so that the call ends and the server keeps running. */
function createOversizedResponse(
  { start, end }: { readonly start: string; readonly end: string },
  bytesMax: number,
): JSONRPCMessage | null {
  const id =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(start)?.[1] ?? /[,{]"id":(\d{1,15})\}\r?$/.exec(end)?.[1];
  return createErrorResponse(
    id === undefined ? null : Number(id),
    `It has more than ${bytesMax} bytes. Request less data at a time.`,
  );
}

/** Returns the id of the request that a response belongs to. */
function findResponseId(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return null;
  return typeof value.id === 'number' ? value.id : null;
}

function createErrorResponse(id: number | null, problem: string): JSONRPCMessage | null {
  if (id === null) return null;
  return { jsonrpc: '2.0', id, error: { code: -32_603, message: `The response is invalid. ${problem}` } };
}

/** Explains the exit codes of the shell that starts the server. */
function describeExit(command: string, { code, signal }: ProcessExit): string {
  if (code === 127) return `Command not found: ${JSON.stringify(command)}. Install it, or correct its name.`;
  if (code === 126)
    return `${JSON.stringify(command)} is not executable. Make it executable, or use another program.`;
  return signal === null ? `It exited with code ${code}.` : `It was killed by ${signal}.`;
}
