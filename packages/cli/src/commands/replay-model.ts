import { findProfile, type Event, type ModelError, type RequestedCall } from '@pawl/core';
import {
  textAbout,
  type Model,
  type ModelChunk,
  type ModelRequest,
  type ToolDescription,
} from '@pawl/runtime';
import { isDeepStrictEqual } from 'node:util';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import type { SessionRecord } from './export-record.ts';
import { modelFor, type ModelFlags, mannerFor } from './model-options.ts';
import { LineOutput } from './line-output.ts';
import { profileNamed } from './profile-option.ts';
import { asksOf, type Asked } from './show-request.ts';
import { walkEvents } from './show-walk.ts';
import { fit, widthOf } from './columns.ts';
import { counted } from './number-text.ts';
import { manifestIn, type Manifest } from './manifest.ts';

type Options = ModelFlags & {
  readonly json?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Asks a model again whatever it was asked in a session, each time with the conversation as it was, and compares. */
export async function replayWithModel(record: SessionRecord, options: Options, io: Io): Promise<ExitCode> {
  const { signal = new AbortController().signal, all = false, json = false } = options;
  const model = await modelOf(record, options);
  const known = await manifestFor(record);
  const view = viewOn(io, json, known);
  const tally = { same: 0, different: 0 };
  for await (const asked of answered(record, known)) {
    const reply = await replyOf(model, asked.ask, signal);
    if (signal.aborted) return exitCodes.interrupted;
    if (reply.type === 'failure') {
      await view.failure(asked, reply.error);
      return exitCodes.model;
    }
    const compared = compare(asked, reply);
    tally[compared.same ? 'same' : 'different'] += 1;
    await view.reply(compared);
    if (!compared.same && !all) break;
  }
  await view.end({ type: 'summary', model: model.name, ...tally });
  return tally.different === 0 ? exitCodes.finished : exitCodes.failed;
}

/** As it ran, unless other flags are given. */
async function modelOf({ about, created }: SessionRecord, options: Options): Promise<Model> {
  const profile = await profileNamed(options.profile ?? findProfile(created.profile)?.name ?? 'pawl');
  const spec = options.model ?? textAbout(about, 'model');
  return modelFor(
    { ...options, ...(spec !== null && { model: spec }) },
    profile,
    mannerFor(created.settings.chart),
  );
}

/**
 * Where the tools are not on record, those that were called are offered, with the parameters that they were called with: so
 * the model can call them again.
 */
async function manifestFor({ about, created, events }: SessionRecord): Promise<Manifest> {
  const known = manifestIn(about);
  if (!known.missing.includes('tools')) return known;
  const called = new Map<string, Map<string, string>>();
  for await (const { event } of walkEvents(created, events())) {
    if (event.type !== 'model-replied') continue;
    for (const { tool, args } of event.calls) {
      const types = called.get(tool) ?? new Map<string, string>();
      called.set(tool, types);
      if (args === null || typeof args !== 'object') continue;
      for (const [key, value] of Object.entries(args)) types.set(key, typeOf(value));
    }
  }
  return { ...known, tools: [...called].map(([name, types]) => toolNamed(name, types)) };
}

function toolNamed(name: string, types: ReadonlyMap<string, string>): ToolDescription {
  const properties = Object.fromEntries([...types].map(([key, type]) => [key, { type }]));
  return { name, description: `The tool ${name}.`, parameters: { type: 'object', properties } };
}

/** The word of JSON Schema for it. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

type Replied = Extract<Event, { readonly type: 'model-replied' }>;
type AskedAndAnswered = Asked & { readonly number: number; readonly seq: number; readonly recorded: Replied };

/** Each time the model was asked and replied. */
async function* answered(
  { created, events }: SessionRecord,
  known: Manifest,
): AsyncGenerator<AskedAndAnswered, void, undefined> {
  let number = 0;
  let last: Asked | null = null;
  for await (const each of walkEvents(created, events())) {
    const { seq, event } = each;
    if (event.type === 'model-replied' && last !== null) {
      yield { ...last, number, seq, recorded: event };
      last = null;
    }
    for (const asked of asksOf(each, known)) {
      number += 1;
      last = asked;
    }
  }
}

type Reply = Extract<ModelChunk, { readonly type: 'reply' }>;
type Failure = Extract<ModelChunk, { readonly type: 'failure' }>;

async function replyOf(model: Model, ask: ModelRequest, signal: AbortSignal): Promise<Reply | Failure> {
  for await (const chunk of model.stream(ask, signal)) {
    if (chunk.type === 'reply' || chunk.type === 'failure') return chunk;
  }
  return {
    type: 'failure',
    error: { kind: 'truncated', message: 'It stopped before its reply was complete.' },
  };
}

type Said = { readonly text: string; readonly calls: readonly Pick<RequestedCall, 'tool' | 'args'>[] };

type Compared = {
  readonly type: 'reply';
  /** The number that `pawl show --prompt` shows what was asked by. */
  readonly number: number;
  /** The event with the recorded reply. */
  readonly seq: number;
  readonly same: boolean;
  readonly recorded: Said;
  readonly now: Said;
};

/** What a reply does is what counts: its calls, or where it has none, what it says. */
function compare({ number, seq, recorded }: AskedAndAnswered, reply: Reply): Compared {
  const then = saidIn(recorded);
  const now = saidIn(reply);
  const hasCalls = then.calls.length + now.calls.length > 0;
  const same = hasCalls ? isDeepStrictEqual(then.calls, now.calls) : then.text.trim() === now.text.trim();
  return { type: 'reply', number, seq, same, recorded: then, now };
}

function saidIn({ text, calls }: Pick<Replied, 'text' | 'calls'>): Said {
  return { text, calls: calls.map(({ tool, args }) => ({ tool, args })) };
}

type Summary = {
  readonly type: 'summary';
  readonly model: string;
  readonly same: number;
  readonly different: number;
};

type View = {
  reply(compared: Compared): Promise<void>;
  failure(asked: AskedAndAnswered, error: ModelError): Promise<void>;
  end(summary: Summary): Promise<void>;
};

function viewOn(io: Io, json: boolean, { missing }: Manifest): View {
  const output = new LineOutput(io.stdout);
  if (json) {
    const write = (record: object): Promise<void> => output.write(JSON.stringify(record));
    return {
      reply: write,
      failure: ({ number }, { kind, message }) => write({ type: 'failure', number, kind, message }),
      end: write,
    };
  }
  if (missing.includes('prompt'))
    io.stderr.write('What the model was told first is not on record: it is left out.\n');
  if (missing.includes('tools')) {
    io.stderr.write(
      'The tools of that run are not on record: those that were called are offered as they were called.\n',
    );
  }
  return {
    reply: (compared) => output.write(comparedText(compared, widthOf(io.stdout))),
    async failure({ number }, { message }) {
      io.stderr.write(`pawl: prompt ${number}: the model failed: ${fit(message, 500)}\n`);
    },
    end: (summary) => output.write(summaryText(summary)),
  };
}

function comparedText({ number, seq, same, recorded, now }: Compared, width: number): string {
  if (same) return `prompt ${number} (event ${seq}): the same`;
  return [
    `prompt ${number} (event ${seq}): differs`,
    `  recorded  ${fit(saidText(recorded), width - 12)}`,
    `  now       ${fit(saidText(now), width - 12)}`,
  ].join('\n');
}

function saidText({ text, calls }: Said): string {
  return calls.length === 0
    ? text
    : calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', ');
}

function summaryText({ model, same, different }: Summary): string {
  const total = same + different;
  return different === 0
    ? `${visibleLine(model)} says the same in all ${counted(total, 'reply', 'replies')}.`
    : `${visibleLine(model)} says something else in ${different} of ${counted(total, 'reply', 'replies')} that were looked at.`;
}
