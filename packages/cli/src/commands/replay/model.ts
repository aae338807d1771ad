import type { Event, ModelError, RequestedCall } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import type { Model, ModelChunk, ModelRequest, ToolDescription } from '@pawl/runtime';
import {
  createProfileModel,
  getCodecOptions,
  parseModelFlags,
  type ModelFlags,
} from '@pawl/runtime/agent-setup';
import { replaySteps } from '@pawl/runtime/logs';
import { getMetadataText } from '@pawl/runtime/store';
import { isDeepStrictEqual } from 'node:util';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';
import { LineOutput } from '../../output/line-output.ts';
import { resolveProfileOption, withSetupUsageErrors } from '../../options/load-config.ts';

import {
  createManifestReader,
  listModelRequests,
  type ManifestReader,
  type SentModelRequest,
  type RunManifest,
} from '../../sessions/model-requests.ts';
import { truncateColumns, getOutputWidth } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';

type ReplayModelOptions = ModelFlags & {
  readonly json?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Sends each recorded request to a model again, with the conversation at that point, and compares the replies. */
export async function replayWithModel(
  record: SessionRecord,
  options: ReplayModelOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { signal = new AbortController().signal, all = false, json = false } = options;
  const model = await resolveReplayModel(record, options);
  const readManifest = await createReplayManifestReader(record);
  const view = createReplayView(io, json, readManifest(0));
  const tally = { same: 0, different: 0 };
  for await (const request of streamAnsweredRequests(record, readManifest)) {
    const reply = await requestReplayReply(model, request.ask, signal);
    if (signal.aborted) return exitCodes.interrupted;
    if (reply.type === 'failure') {
      await view.failure(request, reply.error);
      return exitCodes.model;
    }
    const compared = compareReplies(request, reply);
    tally[compared.same ? 'same' : 'different'] += 1;
    await view.reply(compared);
    if (!compared.same && !all) break;
  }
  await view.end({ type: 'summary', model: model.name, ...tally });
  return tally.different === 0 ? exitCodes.finished : exitCodes.failed;
}

/** Uses the recorded model unless flags override it. */
async function resolveReplayModel(
  { about, created }: SessionRecord,
  options: ReplayModelOptions,
): Promise<Model> {
  const profile = await resolveProfileOption(options.profile ?? findProfile(created.profile)?.name ?? 'pawl');
  const spec = options.model ?? getMetadataText(about, 'model');
  return withSetupUsageErrors(async () =>
    createProfileModel(
      { ...(spec !== null && { model: spec }), modelOptions: parseModelFlags(options) },
      profile,
      getCodecOptions(created.settings.chart),
    ),
  );
}

/**
 * If the tools were not recorded, offers the tools that were called, with the parameters of those calls, so that the
 * model can call them again.
 */
async function createReplayManifestReader({
  about,
  created,
  events,
}: SessionRecord): Promise<ManifestReader> {
  const readManifest = createManifestReader(about);
  if (!readManifest(0).missing.includes('tools')) return readManifest;
  const called = new Map<string, Map<string, string>>();
  for await (const { event } of replaySteps(created, events())) {
    if (event.type !== 'model-replied') continue;
    for (const { tool, args } of event.calls) {
      const types = called.get(tool) ?? new Map<string, string>();
      called.set(tool, types);
      if (args === null || typeof args !== 'object') continue;
      for (const [key, value] of Object.entries(args)) types.set(key, getJsonSchemaType(value));
    }
  }
  const tools = [...called].map(([name, types]) => describeCalledTool(name, types));
  return (seq) => {
    const manifest = readManifest(seq);
    return manifest.missing.includes('tools') ? { ...manifest, tools } : manifest;
  };
}

function describeCalledTool(name: string, types: ReadonlyMap<string, string>): ToolDescription {
  const properties = Object.fromEntries([...types].map(([key, type]) => [key, { type }]));
  return { name, description: `The tool ${name}.`, parameters: { type: 'object', properties } };
}

/** Returns the JSON Schema type name of a value. */
function getJsonSchemaType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

type ModelRepliedEvent = Extract<Event, { readonly type: 'model-replied' }>;
type AnsweredRequest = SentModelRequest & {
  readonly number: number;
  readonly seq: number;
  readonly recorded: ModelRepliedEvent;
};

/** Yields each request that got a reply. */
async function* streamAnsweredRequests(
  { created, events }: SessionRecord,
  readManifest: ManifestReader,
): AsyncGenerator<AnsweredRequest, void, undefined> {
  let number = 0;
  let last: SentModelRequest | null = null;
  for await (const each of replaySteps(created, events())) {
    const { seq, event } = each;
    if (event.type === 'model-replied' && last !== null) {
      yield { ...last, number, seq, recorded: event };
      last = null;
    }
    for (const request of listModelRequests(each, readManifest)) {
      number += 1;
      last = request;
    }
  }
}

type ModelReplyChunk = Extract<ModelChunk, { readonly type: 'reply' }>;
type ModelFailureChunk = Extract<ModelChunk, { readonly type: 'failure' }>;

async function requestReplayReply(
  model: Model,
  ask: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReplyChunk | ModelFailureChunk> {
  for await (const chunk of model.stream(ask, signal)) {
    if (chunk.type === 'reply' || chunk.type === 'failure') return chunk;
  }
  return {
    type: 'failure',
    error: { kind: 'truncated', message: 'The stream ended before the reply was complete.' },
  };
}

type ComparedReply = {
  readonly text: string;
  readonly calls: readonly Pick<RequestedCall, 'tool' | 'args'>[];
};

type ReplyComparison = {
  readonly type: 'reply';
  /** The request number that `pawl show --prompt` takes. */
  readonly number: number;
  /** The event of the recorded reply. */
  readonly seq: number;
  readonly same: boolean;
  readonly recorded: ComparedReply;
  readonly now: ComparedReply;
};

/** Compares what replies do: their tool calls, or, without calls, their text. */
function compareReplies({ number, seq, recorded }: AnsweredRequest, reply: ModelReplyChunk): ReplyComparison {
  const then = toComparedReply(recorded);
  const now = toComparedReply(reply);
  const hasCalls = then.calls.length + now.calls.length > 0;
  const same = hasCalls ? isDeepStrictEqual(then.calls, now.calls) : then.text.trim() === now.text.trim();
  return { type: 'reply', number, seq, same, recorded: then, now };
}

function toComparedReply({ text, calls }: Pick<ModelRepliedEvent, 'text' | 'calls'>): ComparedReply {
  return { text, calls: calls.map(({ tool, args }) => ({ tool, args })) };
}

type ReplaySummary = {
  readonly type: 'summary';
  readonly model: string;
  readonly same: number;
  readonly different: number;
};

type ReplayView = {
  reply(compared: ReplyComparison): Promise<void>;
  failure(request: AnsweredRequest, error: ModelError): Promise<void>;
  end(summary: ReplaySummary): Promise<void>;
};

function createReplayView(io: CommandIo, json: boolean, { missing }: RunManifest): ReplayView {
  const output = new LineOutput(io.stdout);
  if (json) {
    const write = (record: object): Promise<void> => output.write(JSON.stringify(record));
    return {
      reply: write,
      failure: ({ number }, { kind, message }) => write({ type: 'failure', number, kind, message }),
      end: write,
    };
  }
  if (missing.includes('prompt')) io.stderr.write('The system prompt was not recorded; it is omitted.\n');
  if (missing.includes('tools')) {
    io.stderr.write(
      'The tools of that run were not recorded; only the tools that were called are offered.\n',
    );
  }
  return {
    reply: (compared) => output.write(formatReplyComparison(compared, getOutputWidth(io.stdout))),
    async failure({ number }, { message }) {
      io.stderr.write(`pawl: prompt ${number}: the model failed: ${truncateColumns(message, 500)}\n`);
    },
    end: (summary) => output.write(formatReplaySummary(summary)),
  };
}

function formatReplyComparison({ number, seq, same, recorded, now }: ReplyComparison, width: number): string {
  if (same) return `prompt ${number} (event ${seq}): same`;
  return [
    `prompt ${number} (event ${seq}): differs`,
    `  recorded  ${truncateColumns(formatComparedReply(recorded), width - 12)}`,
    `  now       ${truncateColumns(formatComparedReply(now), width - 12)}`,
  ].join('\n');
}

function formatComparedReply({ text, calls }: ComparedReply): string {
  return calls.length === 0
    ? text
    : calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', ');
}

function formatReplaySummary({ model, same, different }: ReplaySummary): string {
  const total = same + different;
  return different === 0
    ? `${sanitizeOneLine(model)}: all ${formatCount(total, 'reply', 'replies')} match.`
    : `${sanitizeOneLine(model)}: ${different} of ${formatCount(total, 'compared reply', 'compared replies')} differ.`;
}
