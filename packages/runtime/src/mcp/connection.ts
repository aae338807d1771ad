import { isJsonObject } from '@pawl/governor/json';
import type { Json, ToolErrorKind } from '@pawl/core';
import type { RuntimeClock } from '../platform/clock.ts';
import type { Tool, ToolContext, ToolResult } from '../tools/tool.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { ApprovalStore } from './approvals.ts';
import { classifyCallFailure } from './call-failure.ts';
import { toMcpError } from './link-error.ts';
import { openMcpLink, type McpLink } from './link.ts';
import { McpError } from './mcp-error.ts';
import type { McpLimits, McpServer } from './mcp-server.ts';
import { parseToolOffer, type OfferedTool } from './offered-tools.ts';
import { createMcpProgressReporter } from './progress.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { parseMcpCallResult } from './result-text.ts';
import { unavailableReasons, McpToolRegistry, type ToolReview } from './tool-registry.ts';

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

function createToolFailure(kind: ToolErrorKind, message: string): ToolResult {
  return { ok: false, error: { kind, message } };
}

/** Stops waiting when aborted; the shared operation continues for other callers. */
async function waitUnlessAborted<Value>(operation: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new McpError('closed', 'Cancelled before it was started.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([operation, promise]).finally(() => signal.removeEventListener('abort', stop));
}
