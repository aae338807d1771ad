import type { Json, ToolErrorKind } from '@pawl/core';
import type { Clock } from '../clock.ts';
import type { Tool, ToolContext, ToolResult } from '../tools/tool.ts';
import { messageOf } from '../work.ts';
import type { Approvals } from './approvals.ts';
import { callFailure } from './call-failure.ts';
import { explained } from './link-error.ts';
import { openLink, type Link } from './link.ts';
import { McpError } from './mcp-error.ts';
import type { McpLimits, McpServer } from './mcp-server.ts';
import { readOffer, type OfferedTool } from './offered-tools.ts';
import { reporter } from './progress.ts';
import { Restarts } from './restarts.ts';
import { resultOf } from './result-text.ts';
import { refusals, ToolBook, type ToolReview } from './tool-book.ts';

export type McpSettings = {
  readonly limits: McpLimits;
  readonly approvals: Approvals;
  readonly newTools: 'ask' | 'approve';
  readonly clock: Clock;
};

type Args = { readonly [key: string]: unknown };

/** A list that changes all the time is read again this often at most. */
const refreshGapMs = 250;

/**
 * A server that was reached once and is reached again when it is needed. Its tools can only be called in the version
 * that was approved; until then not even their descriptions get to a model.
 */
export class McpConnection {
  readonly name: string;
  readonly #server: McpServer;
  readonly #settings: McpSettings;
  readonly #restarts: Restarts;
  readonly #book = new ToolBook();
  readonly #tools = new Map<string, Tool>();
  readonly #closing = new AbortController();
  #problems: readonly string[] = [];
  #link: Link | null = null;
  #opening: Promise<Link> | null = null;
  #refreshing: Promise<void> | null = null;
  #readAt = 0;
  #isStale = false;

  /** Reaches the server; throws one `McpError` if it cannot be used. */
  static async open(server: McpServer, settings: McpSettings, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(server, settings);
    try {
      await connection.#linked(signal);
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
    this.#restarts = new Restarts(settings.limits, settings.clock);
  }

  /** Every tool it has offered so far, those that wait for approval included. */
  get tools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** The tools that wait for the user's word. */
  get reviews(): readonly ToolReview[] {
    return this.#book.reviews;
  }

  /** What of the server's offer cannot be used, and why. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Approves these tools in the version the user was shown. One that has changed since stays suspended. */
  async approve(reviews: readonly Pick<ToolReview, 'name' | 'fingerprint'>[]): Promise<void> {
    const approvals = reviews.flatMap(({ name, fingerprint }) => {
      const standing = this.#book.standing(name);
      if (standing.kind === 'gone') return [];
      return [{ server: this.name, tool: standing.tool.original, fingerprint }];
    });
    await this.#settings.approvals.approve(approvals);
    this.#book.approve(await this.#settings.approvals.of(this.name));
  }

  /** Ends the connection and, if we started it, the server with all its processes. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => undefined);
    await this.#link?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #linked(signal: AbortSignal): Promise<Link> {
    if (this.#closing.signal.aborted)
      throw new McpError('closed', `The connection to the MCP server ${this.name} is closed.`);
    if (this.#link !== null && !this.#link.lost.aborted) return this.#link;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return unlessAborted(this.#opening, signal);
  }

  async #open(): Promise<Link> {
    if (this.#link !== null) await this.#startAgain();
    const { limits } = this.#settings;
    const onToolsChanged = (): void => this.#toolsChanged();
    const link = await openLink(this.#server, { limits, signal: this.#closing.signal, onToolsChanged });
    this.#link = link;
    try {
      await this.#readTools(link);
      return link;
    } catch (error) {
      await link.close();
      throw explained(this.#server, error);
    }
  }

  async #startAgain(): Promise<void> {
    if (this.#restarts.isSpent) {
      const message = `The MCP server ${this.name} was started ${this.#settings.limits.restarts} times in a row without one call that came to an end. It is not started again: mend it, and begin a new session.`;
      throw new McpError('cannot-start', message);
    }
    await this.#restarts.next(this.#closing.signal);
  }

  async #readTools(link: Link): Promise<void> {
    const { limits, approvals, clock } = this.#settings;
    const { tools, problems } = readOffer(this.#server, await link.list(), limits);
    this.#readAt = clock.now();
    if (this.#settings.newTools === 'approve') await this.#approveNew(tools);
    this.#problems = problems;
    this.#book.take(tools, await approvals.of(this.name));
    for (const { name } of tools) if (!this.#tools.has(name)) this.#tools.set(name, this.#toolFor(name));
  }

  async #approveNew(tools: readonly OfferedTool[]): Promise<void> {
    const { approvals } = this.#settings;
    const approved = await approvals.of(this.name);
    const isNew = tools.filter((tool) => !approved.has(tool.original));
    if (isNew.length === 0) return;
    await approvals.approve(
      isNew.map(({ original: tool, fingerprint }) => ({ server: this.name, tool, fingerprint })),
    );
  }

  #toolFor(name: string): Tool {
    const book = this.#book;
    return {
      // What a server says of its effects is not believed.
      effect: 'not-repeatable',
      // The time of a call is ours to keep: only so can the server be told to stop.
      timeoutMs: null,
      get description() {
        return book.describe(name);
      },
      run: (args, context) => this.#run(name, args, context),
    };
  }

  /** The server says that its list is another one now. Whoever calls waits until it has been read. */
  #toolsChanged(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
      if (this.#isStale && !this.#closing.signal.aborted) this.#toolsChanged();
    });
  }

  async #refresh(): Promise<void> {
    const { clock } = this.#settings;
    await this.#opening?.catch(() => undefined);
    await clock.until(this.#readAt + refreshGapMs, this.#closing.signal);
    this.#isStale = false;
    if (this.#link === null || this.#link.lost.aborted) return;
    try {
      await this.#readTools(this.#link);
    } catch (error) {
      this.#problems = [`${this.name} has changed its tools and cannot list them: ${messageOf(error)}`];
    }
  }

  async #run(name: string, args: Json, context: ToolContext): Promise<ToolResult> {
    const { kind } = this.#book.standing(name);
    if (kind !== 'ready') return refusal(name, kind);
    if (isObject(args)) return this.#call(name, args, context, true);
    return failed('invalid', `${name} takes its arguments as an object, such as {}.`);
  }

  async #call(name: string, args: Args, context: ToolContext, mayRepeat: boolean): Promise<ToolResult> {
    const { signal } = context;
    let link: Link;
    try {
      link = await this.#linked(signal);
      await this.#refreshing;
    } catch (error) {
      return failed(signal.aborted ? 'cancelled' : 'failed', explained(this.#server, error).message);
    }
    // Another version may have come to light on the way.
    const standing = this.#book.standing(name);
    if (standing.kind !== 'ready') return refusal(name, standing.kind);
    const { limits, clock } = this.#settings;
    const callMs = this.#server.callMs ?? limits.callMs;
    const onProgress = reporter((progress) => context.report(progress), limits, clock);
    try {
      const answer = await link.call(standing.tool.original, args, { signal, callMs, onProgress });
      this.#restarts.reset();
      return resultOf(answer, limits);
    } catch (error) {
      const failure = callFailure(error, { server: this.name, link, signal, callMs });
      if (failure.link === 'answered') this.#restarts.reset();
      if (failure.link === 'broken' || failure.link === 'expired') await link.close();
      // The server has forgotten us and has done nothing: a new connection may try again.
      if (failure.link === 'expired' && mayRepeat) return this.#call(name, args, context, false);
      return failure.result;
    }
  }
}

function refusal(name: string, kind: keyof typeof refusals): ToolResult {
  return failed('denied', `${name} was not called: ${refusals[kind]}`);
}

function failed(kind: ToolErrorKind, message: string): ToolResult {
  return { ok: false, error: { kind, message } };
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is shared goes on; only this one no longer waits for it. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new McpError('closed', 'Called off before it was started.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}
