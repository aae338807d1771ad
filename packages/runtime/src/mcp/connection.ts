import { createToolFailure, type Tool, type ToolContext, type ToolResult } from '../tools/tool.ts';
import { isJsonObject } from '@pawl/governor/json';
import type { Json, ToolErrorKind } from '@pawl/core';
import type { RuntimeClock } from '../platform/clock.ts';
import { getErrorMessage, toPrintableLine } from '../text/one-line.ts';
import type { ApprovalStore } from './approvals.ts';
import { openMcpLink, toMcpError, isRequestTimeout, formatServerText, type McpLink } from './link.ts';
import { McpError, type McpLimits, type McpServer } from './mcp-server.ts';
import {
  unavailableReasons,
  McpToolRegistry,
  parseToolOffer,
  type ToolReview,
  type OfferedTool,
} from './tool-registry.ts';
import { parseMcpCallResult } from './result-text.ts';
import { INVALID_PARAMS, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';

export type McpSettings = {
  readonly limits: McpLimits;
  readonly approvals: ApprovalStore;
  readonly newTools: 'ask' | 'approve';
  readonly clock: RuntimeClock;
};

type ToolArguments = { readonly [key: string]: unknown };

/** Minimum interval between reloads of a tool list that changes constantly. */
const refreshGapMs = 250;

/**
 * A connection to a server that reconnects on demand. Tools can be called only in the approved version; until then, not
 * even their descriptions reach a model.
 */
export class McpConnection {
  readonly name: string;
  readonly #server: McpServer;
  readonly #settings: McpSettings;
  readonly #restarts: RestartBackoff;
  readonly #registry = new McpToolRegistry();
  readonly #tools = new Map<string, Tool>();
  readonly #closeController = new AbortController();
  #problems: readonly string[] = [];
  #link: McpLink | null = null;
  #pendingLink: Promise<McpLink> | null = null;
  #refreshing: Promise<void> | null = null;
  #listedAt = 0;
  #isStale = false;

  /** Connects to the server; throws an `McpError` if it cannot be used. */
  static async open(server: McpServer, settings: McpSettings, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(server, settings);
    try {
      await connection.#getLink(signal);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(server: McpServer, settings: McpSettings) {
    this.name = server.name;
    this.#server = server;
    this.#settings = settings;
    this.#restarts = new RestartBackoff(settings.limits, settings.clock);
  }

  /** Every tool offered so far, including tools that wait for approval. */
  get tools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** Tools that wait for the user's approval. */
  get reviews(): readonly ToolReview[] {
    return this.#registry.reviews;
  }

  /** Which offered tools cannot be used, and why. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Approves the version of each tool that the user saw. A tool that has changed since stays suspended. */
  async approve(reviews: readonly Pick<ToolReview, 'name' | 'fingerprint'>[]): Promise<void> {
    const approvals = reviews.flatMap(({ name, fingerprint }) => {
      const status = this.#registry.getStatus(name);
      if (status.kind === 'gone') return [];
      return [{ server: this.name, tool: status.tool.original, fingerprint }];
    });
    await this.#settings.approvals.approve(approvals);
    this.#registry.setApproved(await this.#settings.approvals.getFingerprints(this.name));
  }

  /** Closes the connection and, if the server runs as a child process, ends its process group. */
  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#pendingLink?.catch(() => undefined);
    await this.#link?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #getLink(signal: AbortSignal): Promise<McpLink> {
    if (this.#closeController.signal.aborted)
      throw new McpError('closed', `The connection to the MCP server ${this.name} is closed.`);
    if (this.#link !== null && !this.#link.lost.aborted) return this.#link;
    this.#pendingLink ??= this.#open().finally(() => {
      this.#pendingLink = null;
    });
    return waitUnlessAborted(this.#pendingLink, signal);
  }

  async #open(): Promise<McpLink> {
    if (this.#link !== null) await this.#delayRestart();
    const { limits } = this.#settings;
    const onToolsChanged = (): void => this.#onToolsChanged();
    const link = await openMcpLink(this.#server, {
      limits,
      signal: this.#closeController.signal,
      onToolsChanged,
    });
    this.#link = link;
    try {
      await this.#readTools(link);
      return link;
    } catch (error) {
      await link.close();
      throw toMcpError(this.#server, error);
    }
  }

  async #delayRestart(): Promise<void> {
    if (this.#restarts.isExhausted) {
      const message = `The MCP server ${this.name} was started ${this.#settings.limits.restarts} times in a row without completing a call, so it is not restarted. Fix it, then start a new session.`;
      throw new McpError('cannot-start', message);
    }
    await this.#restarts.waitForRestart(this.#closeController.signal);
  }

  async #readTools(link: McpLink): Promise<void> {
    const { limits, approvals, clock } = this.#settings;
    const { tools, problems } = parseToolOffer(this.#server, await link.list(), limits);
    this.#listedAt = clock.now();
    if (this.#settings.newTools === 'approve') await this.#approveNewTools(tools);
    this.#problems = problems;
    this.#registry.update(tools, await approvals.getFingerprints(this.name));
    for (const { name } of tools) if (!this.#tools.has(name)) this.#tools.set(name, this.#createTool(name));
  }

  async #approveNewTools(tools: readonly OfferedTool[]): Promise<void> {
    const { approvals } = this.#settings;
    const approved = await approvals.getFingerprints(this.name);
    const newTools = tools.filter((tool) => !approved.has(tool.original));
    if (newTools.length === 0) return;
    await approvals.approve(
      newTools.map(({ original: tool, fingerprint }) => ({ server: this.name, tool, fingerprint })),
    );
  }

  #createTool(name: string): Tool {
    const registry = this.#registry;
    return {
      // A server's claims about the effects of its tools are not trusted.
      effect: 'not-repeatable',
      // `#call` enforces the timeout itself, because only then can it tell the server to stop.
      timeoutMs: null,
      get description() {
        return registry.describe(name);
      },
      run: (args, context) => this.#run(name, args, context),
    };
  }

  /** Reloads the tool list after a change notification. Calls wait until it is reloaded. */
  #onToolsChanged(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
      if (this.#isStale && !this.#closeController.signal.aborted) this.#onToolsChanged();
    });
  }

  async #refresh(): Promise<void> {
    const { clock } = this.#settings;
    await this.#pendingLink?.catch(() => undefined);
    await clock.sleepUntil(this.#listedAt + refreshGapMs, this.#closeController.signal);
    this.#isStale = false;
    if (this.#link === null || this.#link.lost.aborted) return;
    try {
      await this.#readTools(this.#link);
    } catch (error) {
      this.#problems = [`${this.name} changed its tools, and listing them failed: ${getErrorMessage(error)}`];
    }
  }

  async #run(name: string, args: Json, context: ToolContext): Promise<ToolResult> {
    const { kind } = this.#registry.getStatus(name);
    if (kind !== 'ready') return createRefusalResult(name, kind);
    if (isJsonObject(args)) return this.#call(name, args, context, true);
    return createToolFailure('invalid', `The arguments of ${name} must be an object, such as {}.`);
  }

  async #call(
    name: string,
    args: ToolArguments,
    context: ToolContext,
    canRetry: boolean,
  ): Promise<ToolResult> {
    const { signal } = context;
    let link: McpLink;
    try {
      link = await this.#getLink(signal);
      await this.#refreshing;
    } catch (error) {
      return createToolFailure(
        signal.aborted ? 'cancelled' : 'failed',
        toMcpError(this.#server, error).message,
      );
    }
    // Reconnecting or reloading may have changed the tool's version.
    const status = this.#registry.getStatus(name);
    if (status.kind !== 'ready') return createRefusalResult(name, status.kind);
    const { limits, clock } = this.#settings;
    const callMs = this.#server.callMs ?? limits.callMs;
    const onProgress = createMcpProgressReporter((progress) => context.report(progress), limits, clock);
    try {
      const response = await link.call(status.tool.original, args, { signal, callMs, onProgress });
      this.#restarts.reset();
      return parseMcpCallResult(response, limits);
    } catch (error) {
      const failure = classifyCallFailure(error, { server: this.name, link, signal, callMs });
      if (failure.link === 'answered') this.#restarts.reset();
      if (failure.link === 'broken' || failure.link === 'expired') await link.close();
      // Retry once: the session expired, so the server did not execute the call.
      if (failure.link === 'expired' && canRetry) return this.#call(name, args, context, false);
      return failure.result;
    }
  }
}

function createRefusalResult(name: string, kind: keyof typeof unavailableReasons): ToolResult {
  return createToolFailure('denied', `${name} was not called: ${unavailableReasons[kind]}`);
}

/** Stops waiting when aborted; the shared operation continues for other callers. */
async function waitUnlessAborted<Value>(operation: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new McpError('closed', 'Cancelled before it was started.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([operation, promise]).finally(() => signal.removeEventListener('abort', stop));
}

type CallFailure = {
  readonly result: ToolResult;
  /**
   * `answered`: the server works · `silent`: its state is unknown · `broken`: a new connection is needed · `expired`: a
   * new connection is needed, and the call was not executed.
   */
  readonly link: 'answered' | 'silent' | 'broken' | 'expired';
};

type CallFailureContext = {
  readonly server: string;
  readonly link: McpLink;
  readonly signal: AbortSignal;
  readonly callMs: number;
};

const uncertainOutcomeText =
  'The call may have completed fully, partially or not at all. Check before you repeat it.';

/** Classifies a failed call: the tool result for the model and the state of the link. */
function classifyCallFailure(
  error: unknown,
  { server, link, signal, callMs }: CallFailureContext,
): CallFailure {
  if (signal.aborted)
    return createCallFailure(
      'interrupted',
      `Cancelled while ${server} was running it. ${uncertainOutcomeText}`,
      'silent',
    );
  if (link.lost.aborted) {
    const reason = getErrorMessage(link.lost.reason);
    const message = `The MCP server ${server} disconnected during this call. ${reason} ${uncertainOutcomeText} The next call restarts the server.`;
    return createCallFailure('failed', message, 'broken');
  }
  if (isRequestTimeout(error)) {
    const message = `The MCP server ${server} did not respond within ${callMs} ms, so the call was cancelled. ${uncertainOutcomeText}`;
    return createCallFailure('timeout', message, 'silent');
  }
  if (error instanceof ProtocolError) {
    const kind = error.code === INVALID_PARAMS ? 'invalid' : 'failed';
    return createCallFailure(
      kind,
      `The MCP server ${server} rejected the call: ${formatServerText(error.message)}`,
      'answered',
    );
  }
  if (error instanceof SdkHttpError) {
    const message = `The MCP server ${server} responded with HTTP ${error.status}. The next call reconnects.`;
    return createCallFailure('failed', message, error.status === 404 ? 'expired' : 'broken');
  }
  const reason =
    error instanceof TypeError && error.cause !== undefined
      ? getErrorMessage(error.cause)
      : getErrorMessage(error);
  const message = `The call to the MCP server ${server} failed: ${formatServerText(reason)} ${uncertainOutcomeText} The next call reconnects.`;
  return createCallFailure('failed', message, 'broken');
}

function createCallFailure(kind: ToolErrorKind, message: string, link: CallFailure['link']): CallFailure {
  return { result: { ok: false, error: { kind, message } }, link };
}

type McpProgress = { readonly progress: number; readonly total?: number; readonly message?: string };

/** Forwards progress notifications, limited in rate and number. */
function createMcpProgressReporter(
  report: (progress: string) => void,
  { reports, reportGapMs }: McpLimits,
  clock: RuntimeClock,
): (progress: McpProgress) => void {
  let remaining = reports;
  let nextAt = 0;
  return (progress) => {
    const now = clock.now();
    if (remaining === 0 || now < nextAt) return;
    remaining -= 1;
    nextAt = now + reportGapMs;
    report(formatMcpProgress(progress));
  };
}

function formatMcpProgress({ progress, total, message }: McpProgress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${toPrintableLine(message, 200)}`;
}

/**
 * Limits how often a server is restarted without a completed call in between, so that a crashing server does not
 * restart endlessly. The first restart is immediate; the delay then doubles with each one.
 */
class RestartBackoff {
  readonly #limits: McpLimits;
  readonly #clock: RuntimeClock;
  #count = 0;

  constructor(limits: McpLimits, clock: RuntimeClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get isExhausted(): boolean {
    return this.#count >= this.#limits.restarts;
  }

  /** Resolves when the server may be started again. */
  async waitForRestart(signal: AbortSignal): Promise<void> {
    const { backoffMs, backoffMaxMs } = this.#limits;
    const waitMs = this.#count === 0 ? 0 : Math.min(backoffMs * 2 ** (this.#count - 1), backoffMaxMs);
    this.#count += 1;
    if (waitMs > 0) await this.#clock.sleepUntil(this.#clock.now() + waitMs, signal);
  }

  reset(): void {
    this.#count = 0;
  }
}
