import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { messageOf } from '../work.ts';
import { isDeeperThan } from '../schema/json-depth.ts';
import type { McpLimits } from './mcp-server.ts';
import { MessageLines, type MessageLine } from './message-lines.ts';
import { startGroup, type Exit, type Launch, type ProcessGroup } from './process-group.ts';
import { visibleText } from './untrusted-text.ts';

/** Messages nested deeper than this have no use, and reading them could overflow the stack. */
const messageDepthMax = 100;

/**
 * Talks to a server that we start. It is the client library's own way of doing so with three things added: the server
 * sees only the environment it was given, all its processes end with it and with us, and what it writes is bounded.
 */
export function createStdioTransport(
  launch: Launch,
  limits: McpLimits,
  /** Told once, how the server ended and its last words. */
  onEnd: (how: string) => void,
): Transport {
  const lines = new MessageLines(limits.messageBytes, limits.floodBytes);
  let group: ProcessGroup | null = null;
  let stderr = '';
  let garbageBytes = 0;
  let isOver = false;

  const transport: Transport = {
    async start() {
      const started = startGroup(launch);
      group = started;
      started.stderr.on('data', (piece: Buffer) => {
        stderr = (stderr + piece.toString('utf8')).slice(-limits.stderrBytes);
      });
      started.stdout.on('data', (piece: Buffer) => {
        for (const line of lines.feed(piece)) if (!isOver) take(line);
      });
      void started.ended.then(
        (exit) => over(describeExit(launch.command, exit)),
        (error: unknown) => over(messageOf(error)),
      );
    },
    async send(message) {
      if (group === null || isOver) throw new Error('The server is gone.');
      group.stdin.write(serializeMessage(message));
      if (group.stdin.writableLength > limits.unsentBytes) over('It does not read what it is sent.');
    },
    async close() {
      await group?.end(limits.closeMs);
    },
  };

  function take(line: MessageLine): void {
    if (line.kind === 'endless') return over(`It wrote a message of more than ${limits.floodBytes} bytes.`);
    const message = line.kind === 'line' ? messageIn(line.text) : tooLong(line, limits.messageBytes);
    if (message !== null) {
      garbageBytes = 0;
      transport.onmessage?.(message);
      return;
    }
    garbageBytes += line.kind === 'line' ? line.text.length : limits.messageBytes;
    if (garbageBytes > limits.garbageBytes)
      over('It writes something to its standard output that is not MCP.');
  }

  /** Nothing more is expected of it: whoever waits for an answer is told at once, and nothing of it goes on. */
  function over(how: string): void {
    if (isOver) return;
    isOver = true;
    const said = stderr.trim() === '' ? '' : ` It said: ${visibleText(stderr.trim(), limits.stderrBytes)}`;
    onEnd(`${how}${said}`);
    transport.onclose?.();
    void group?.end(0);
  }

  return transport;
}

function messageIn(text: string): JSONRPCMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Some servers log to their standard output. A line that is no message is passed over.
    return null;
  }
  if (isDeeperThan(value, messageDepthMax)) return errorFor(idOf(value), 'It is nested too deep.');
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return errorFor(idOf(value), 'It does not follow the protocol.');
  }
}

/** An answer that is too long is answered for the server, so that the call ends and the server lives on. */
function tooLong(
  { start, end }: { readonly start: string; readonly end: string },
  bytesMax: number,
): JSONRPCMessage | null {
  const id =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(start)?.[1] ?? /[,{]"id":(\d{1,15})\}\r?$/.exec(end)?.[1];
  return errorFor(
    id === undefined ? null : Number(id),
    `It has more than ${bytesMax} bytes. Ask for less at a time.`,
  );
}

/** The call that something is an answer to. */
function idOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return null;
  return typeof value.id === 'number' ? value.id : null;
}

function errorFor(id: number | null, problem: string): JSONRPCMessage | null {
  if (id === null) return null;
  return { jsonrpc: '2.0', id, error: { code: -32_603, message: `The answer cannot be taken. ${problem}` } };
}

/** What the shell that starts it says when it cannot. */
function describeExit(command: string, { code, signal }: Exit): string {
  if (code === 127) return `There is no command ${JSON.stringify(command)}. Install it, or correct its name.`;
  if (code === 126) return `${JSON.stringify(command)} is not a program. Name one, or make it executable.`;
  return signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`;
}
