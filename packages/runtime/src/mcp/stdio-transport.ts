import {
  type JSONRPCMessage,
  type Transport,
  parseJSONRPCMessage,
  serializeMessage,
} from '@modelcontextprotocol/client';
import { getErrorMessage } from '../text/one-line.ts';
import { isDeeperThan } from '../schema/json-value.ts';
import type { McpLimits } from './mcp-server.ts';
import {
  startProcessGroup,
  type ProcessExit,
  type ProcessLaunch,
  type ProcessGroup,
} from './process-group.ts';
import { sanitizeServerText } from './result-text.ts';

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

/** A line, or the beginning and end of an oversized line. */
type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly start: string; readonly end: string }
  /** The line exceeds the size at which waiting for its end stops. */
  | { readonly kind: 'endless' };

const newlineByte = 0x0a;
const edgeBytes = 256;
const bufferBytes = 64 * 1024;

/** Splits a stream into lines and buffers at most one line of the maximum size. */
export class MessageLines {
  readonly #bytesMax: number;
  readonly #endlessBytes: number;
  #buffer: Buffer = Buffer.alloc(bufferBytes);
  /** Bytes of the current line, and how many of them are buffered. */
  #lineBytes = 0;
  #bufferedBytes = 0;
  /** The last bytes of an oversized line. */
  #tail: Buffer | null = null;

  constructor(bytesMax: number, endlessBytes: number) {
    this.#bytesMax = bytesMax;
    this.#endlessBytes = endlessBytes;
  }

  /** Yields the lines completed by this chunk. */
  *addChunk(chunk: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let at = chunk.indexOf(newlineByte); at !== -1; at = chunk.indexOf(newlineByte, from)) {
      this.#add(chunk.subarray(from, at));
      from = at + 1;
      yield this.#finishLine();
    }
    this.#add(chunk.subarray(from));
    if (this.#lineBytes > this.#endlessBytes) yield { kind: 'endless' };
  }

  #add(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= this.#bytesMax) return this.#appendToBuffer(part);
    const before =
      this.#tail ?? this.#buffer.subarray(Math.max(0, this.#bufferedBytes - edgeBytes), this.#bufferedBytes);
    // Copy, because a view would retain the whole chunk.
    this.#tail = Buffer.from(Buffer.concat([before, part]).subarray(-edgeBytes));
  }

  #appendToBuffer(part: Buffer): void {
    const needed = this.#bufferedBytes + part.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#bufferedBytes);
      this.#buffer = larger;
    }
    part.copy(this.#buffer, this.#bufferedBytes);
    this.#bufferedBytes = needed;
  }

  #finishLine(): MessageLine {
    const line: MessageLine =
      this.#tail === null
        ? { kind: 'line', text: this.#buffer.toString('utf8', 0, this.#bufferedBytes) }
        : {
            kind: 'too-long',
            start: this.#buffer.toString('latin1', 0, Math.min(this.#bufferedBytes, edgeBytes)),
            end: this.#tail.toString('latin1'),
          };
    if (this.#buffer.length > bufferBytes) this.#buffer = Buffer.alloc(bufferBytes);
    this.#lineBytes = 0;
    this.#bufferedBytes = 0;
    this.#tail = null;
    return line;
  }
}
