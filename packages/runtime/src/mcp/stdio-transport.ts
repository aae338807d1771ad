import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { messageOf } from '../work.ts';
import { isDeeperThan } from './json-depth.ts';
import type { McpLimits } from './mcp-server.ts';
import { MessageLines, type MessageLine } from './message-lines.ts';
import { startGroup, type Exit, type Launch, type ProcessGroup } from './process-group.ts';
import { visibleText } from './untrusted-text.ts';

export type StdioTransport = Transport & {
  readonly pid: number | undefined;
  /** How the server ended and its last words; empty while nothing is known. */
  lastWords(): string;
};

/** Messages nested deeper than this have no use, and reading them could overflow the stack. */
const messageDepthMax = 100;

/**
 * Talks to a server that we start. It is the client library's own way of doing so with three things added: the server
 * sees only the environment it was given, all its processes end with it and with us, and what it writes is bounded.
 */
export function createStdioTransport(launch: Launch, limits: McpLimits): StdioTransport {
  const lines = new MessageLines(limits.messageBytes, limits.floodBytes);
  let group: ProcessGroup | null = null;
  let stderr = '';
  let garbageBytes = 0;
  let end = '';

  const transport: StdioTransport = {
    get pid() {
      return group?.pid;
    },
    lastWords: () => [end, stderr.trim() && `It said: ${visibleText(stderr.trim(), limits.stderrBytes)}`].filter(Boolean).join(' '),
    async start() {
      const started = startGroup(launch);
      group = started;
      started.stderr.on('data', (piece: Buffer) => {
        stderr = (stderr + piece.toString('utf8')).slice(-limits.stderrBytes);
      });
      started.stdout.on('data', (piece: Buffer) => read(piece));
      void started.ended.then(
        (exit) => gone(describeExit(launch.command, exit)),
        (error: unknown) => gone(messageOf(error)),
      );
    },
    async send(message) {
      if (group === null || end !== '') throw new Error(`The server is gone. ${transport.lastWords()}`);
      group.stdin.write(serializeMessage(message));
      if (group.stdin.writableLength > limits.unsentBytes) giveUp('It does not read what it is sent.');
    },
    async close() {
      await group?.end(limits.closeMs);
    },
  };

  function read(piece: Buffer): void {
    if (end !== '') return;
    for (const line of lines.feed(piece)) take(line);
  }

  function take(line: MessageLine): void {
    if (line.kind === 'endless') return giveUp(`It wrote a message of more than ${limits.floodBytes} bytes.`);
    const message = line.kind === 'line' ? messageIn(line.text) : tooLong(line, limits.messageBytes);
    if (message === null) {
      garbageBytes += line.kind === 'line' ? line.text.length : limits.messageBytes;
      if (garbageBytes > limits.garbageBytes) giveUp('It writes something to its standard output that is not MCP.');
      return;
    }
    garbageBytes = 0;
    try {
      transport.onmessage?.(message);
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Nothing more is expected of it: whoever waits for an answer is told at once. */
  function giveUp(reason: string): void {
    if (end !== '') return;
    end = reason;
    void group?.end(0);
    transport.onclose?.();
  }

  function gone(reason: string): void {
    if (end !== '') return;
    end = reason;
    transport.onclose?.();
  }

  return transport;
}

function messageIn(text: string): JSONRPCMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, messageDepthMax) ? errorFor(idOf(value), 'It is nested too deep.') : parseJSONRPCMessage(value);
  } catch {
    // Some servers log to their standard output. A line that is no message is passed over.
    return null;
  }
}

/** An answer that is too long is answered for the server, so that the call ends and the server lives on. */
function tooLong({ start, end }: { readonly start: string; readonly end: string }, bytesMax: number): JSONRPCMessage | null {
  const id = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(start)?.[1] ?? /[,{]"id":(\d{1,15})\}\r?$/.exec(end)?.[1];
  return errorFor(id === undefined ? null : Number(id), `It has more than ${bytesMax} bytes. Ask for less at a time.`);
}

function idOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
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
