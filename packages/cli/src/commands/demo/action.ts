import {
  appendItem,
  createSession,
  emptyConversation,
  findTurnAnswer,
  getConversation,
  toItemArray,
  type ConversationHistory,
  type ConversationMessage,
  type ToolCall,
} from '@pawl/core';
import { estimateTokens } from '@pawl/core/memory';
import { findProfile } from '@pawl/core/profiles';
import type { Verdict } from '@pawl/governor';
import { Agent, type Model, type ModelChunk, type ModelRequest, type Tool } from '@pawl/runtime';
import { createStoreEventLog, getProcessOwner, openSqliteStore } from '@pawl/runtime/store';
import { createEditTool, createReadTool, createWorkspace } from '@pawl/runtime/tools';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { formatCell, getOutputWidth } from '../../output/columns.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import { formatCount } from '../../output/format-number.ts';
import { isTerminalStream } from '../../output/terminal-prompt.ts';
import { createLineRunView, formatEndedCall, type RunView } from '../../run/run-view.ts';
import { wrapText } from '../../tui/styled-line.ts';

const goal = 'Make greet.js greet the world.';
const prompt = 'You are a coding agent. Do what the user asks.';
const file = { name: 'greet.js', text: "console.log('Hello');\n" };

/** The request after which the bare loop stops, as agents without a governor have some limit. */
const requestsMax = 30;

/** What a run printed and used. */
type DemoRun = {
  readonly lines: readonly string[];
  readonly requests: number;
  readonly tokens: number;
  readonly answer: string | null;
  readonly verdicts: readonly Pick<Verdict, 'severity' | 'rule' | 'reason'>[];
};

/** Runs the same looping agent without and with Pawl, and compares what it used. */
export async function runDemo(
  { json }: { readonly json?: boolean | undefined },
  io: CommandIo,
): Promise<ExitCode> {
  const withoutPawl = await withDemoFolder(runBareLoop);
  const withPawl = await withDemoFolder(runWithPawl);
  if (json === true)
    io.stdout.write(`${JSON.stringify({ goal, requestsMax, withoutPawl, withPawl }, null, 2)}\n`);
  else for (const line of formatDemo(withoutPawl, withPawl, io)) io.stdout.write(`${line}\n`);
  return exitCodes.finished;
}

async function withDemoFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pawl-demo-')));
  try {
    await writeFile(join(folder, file.name), file.text);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createDemoTools(folder: string): readonly Tool[] {
  const workspace = createWorkspace(folder, [file.name]);
  return [createReadTool(workspace, workspace), createEditTool(workspace)];
}

type LoopingModel = Model & { readonly usage: { requests: number; tokens: number } };

/**
 * A scripted model in place of a real one that is stuck: it repeats an edit whose text the file does not contain, and
 * ignores results and advice. It answers only when it is offered no tools.
 */
function createLoopingModel(): LoopingModel {
  const usage = { requests: 0, tokens: 0 };
  return {
    name: 'scripted',
    usage,
    async *stream(request): AsyncGenerator<ModelChunk> {
      usage.requests += 1;
      const reply = createReply(usage.requests, request);
      usage.tokens += estimateRequestTokens(request) + estimateTokens(JSON.stringify(reply));
      yield { type: 'reply', ...reply };
    },
  };
}

function createReply(
  request: number,
  { tools }: ModelRequest,
): Pick<Extract<ModelChunk, { readonly type: 'reply' }>, 'text' | 'calls'> {
  if (tools.length === 0)
    return { text: `I could not change ${file.name}: my edit never matched.`, calls: [] };
  const id = `call_${request}`;
  const call: ToolCall =
    request === 1
      ? { id, tool: 'read', args: { path: file.name } }
      : { id, tool: 'edit', args: { path: file.name, old: "log('Helo')", new: "log('Hello, world')" } };
  return { text: '', calls: [call] };
}

function estimateRequestTokens({ system, conversation, tools, advice }: ModelRequest): number {
  const messages = toItemArray(conversation);
  // Times are not sent to a model.
  const text = JSON.stringify({ system, messages, tools, advice }, (key, value: unknown) =>
    key === 'at' ? undefined : value,
  );
  return estimateTokens(text);
}

/** The loop of an agent without a governor: ask the model, run its calls, ask again. */
async function runBareLoop(folder: string): Promise<DemoRun> {
  const model = createLoopingModel();
  const tools = createDemoTools(folder);
  const { signal } = new AbortController();
  const lines: string[] = [];
  let answer: string | null = null;
  let conversation: ConversationHistory<ConversationMessage> = appendItem<ConversationMessage>(
    emptyConversation,
    { role: 'user', at: 0, text: goal },
  );
  while (answer === null && model.usage.requests < requestsMax) {
    const request: ModelRequest = {
      system: prompt,
      conversation,
      tools: tools.map(({ description }) => description),
      advice: null,
      state: null,
      mode: null,
    };
    for await (const chunk of model.stream(request, signal)) {
      if (chunk.type !== 'reply') continue;
      const calls = chunk.calls.map(({ id = '', tool, args }) => ({ id, tool, args }));
      if (calls.length === 0) answer = chunk.text;
      const at = model.usage.requests;
      conversation = appendItem<ConversationMessage>(conversation, {
        role: 'assistant',
        at,
        text: chunk.text,
        calls,
      });
      for (const call of calls) {
        const outcome = await runCall(tools, call, signal);
        lines.push(...formatEndedCall(call, { outcome }));
        conversation = appendItem<ConversationMessage>(conversation, {
          role: 'tool',
          at,
          callId: call.id,
          tool: call.tool,
          outcome,
        });
      }
    }
  }
  return { lines, ...model.usage, answer, verdicts: [] };
}

type ToolOutcome = Extract<ConversationMessage, { readonly role: 'tool' }>['outcome'];

async function runCall(
  tools: readonly Tool[],
  { tool, args }: ToolCall,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const found = tools.find(({ description }) => description.name === tool);
  if (found === undefined) throw new Error(`The script calls ${tool}, which the demo does not have.`);
  const result = await found.run(args, { signal, report: () => undefined });
  return result.ok ? { ok: true, output: result.output } : { ok: false, error: result.error };
}

/** The same agent in Pawl's loop, with its governor and a store. */
async function runWithPawl(folder: string): Promise<DemoRun> {
  const model = createLoopingModel();
  const verdicts: DemoRun['verdicts'][number][] = [];
  const { view, lines } = createRecordingView();
  const store = openSqliteStore(join(folder, 'sessions.db'));
  try {
    const settings = findProfile('pawl')?.settings ?? {};
    const session = createSession({ id: crypto.randomUUID(), at: Date.now(), settings });
    const position = await store.create(session, getProcessOwner());
    const agent = new Agent({
      session,
      log: createStoreEventLog(store, session.id, position),
      model,
      prompt,
      tools: createDemoTools(folder),
      observe(result) {
        view.observe(result);
        for (const note of result.notes)
          if (note.type === 'verdict') {
            const { severity, rule, reason } = note.verdict;
            verdicts.push({ severity, rule, reason });
          }
      },
    });
    void agent.sendMessage(goal);
    const answer = findTurnAnswer(getConversation(await agent.waitUntilIdle()));
    return { lines: lines(), ...model.usage, answer, verdicts };
  } finally {
    await store.close();
  }
}

/** The plain lines of a run, recorded. */
function createRecordingView(): {
  readonly view: Pick<RunView, 'observe'>;
  readonly lines: () => readonly string[];
} {
  let text = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const view = createLineRunView({ stdin: Readable.from([]), stdout: stderr, stderr });
  return { view, lines: () => text.trimEnd().split('\n') };
}

/** From this width on, the runs are shown side by side. */
const sideBySideWidth = 100;

function formatDemo(withoutPawl: DemoRun, withPawl: DemoRun, io: CommandIo): readonly string[] {
  const isWide = isTerminalStream(io.stdout) && io.stdout.columns >= sideBySideWidth;
  const width = isWide
    ? Math.floor((getOutputWidth(io.stdout) - columnGap.length) / 2)
    : getOutputWidth(io.stdout);
  const [left, right] = [
    formatRun('Without Pawl', withoutPawl, width),
    formatRun('With Pawl', withPawl, width),
  ];
  const intro = [`One agent, stuck in a loop: “${goal}”`, ''];
  if (!isWide) return [...intro, ...left, '', ...right];
  // The totals are the last line of both columns.
  const rowCount = Math.max(left.length, right.length);
  const [leftRows, rightRows] = [left, right].map((lines) => [
    ...lines.slice(0, -1),
    ...Array.from({ length: rowCount - lines.length }, () => ''),
    ...lines.slice(-1),
  ]);
  const joined = leftRows?.map((text, row) =>
    `${formatCell(text, width)}${columnGap}${rightRows?.[row] ?? ''}`.trimEnd(),
  );
  return [...intro, ...(joined ?? [])];
}

const columnGap = '  │ ';

/** The last line has the totals. */
function formatRun(
  title: string,
  { lines, requests, tokens, answer }: DemoRun,
  width: number,
): readonly string[] {
  const ending =
    answer === null
      ? `Stopped at the limit of ${requestsMax} requests, without an answer.`
      : `Answer: ${answer}`;
  return [
    title,
    ...[...collapseRepetition(lines), ending].flatMap((line) => wrapIndented(line, width)),
    '',
    `${formatCount(requests, 'request')}, about ${formatCount(tokens, 'token')}`,
  ];
}

/** Wraps a line, and indents its further rows more than the first one. */
function wrapIndented(line: string, width: number): readonly string[] {
  const text = line.trimStart();
  const indent = ' '.repeat(line.length - text.length);
  return wrapText(text, width - indent.length - 2).map(
    (row, index) => `${indent}${index === 0 ? '' : '  '}${row}`,
  );
}

/** How often a repeated block of lines is shown before it is counted. */
const repetitionsShown = 1;

/** Replaces repetitions of the last call by their number. */
function collapseRepetition(lines: readonly string[]): readonly string[] {
  const calls = groupLines(lines);
  const last = calls.at(-1)?.join('\n');
  const firstSame = calls.findLastIndex((call) => call.join('\n') !== last) + 1;
  const repeated = calls.length - firstSame;
  if (repeated <= repetitionsShown) return calls.flat();
  return [
    ...calls.slice(0, firstSame + repetitionsShown).flat(),
    `  … the same call and result ${repeated - repetitionsShown} more times`,
  ];
}

/** Groups each line with the first of the more indented lines below it, unless that was shown before. */
function groupLines(lines: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  const shown = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const isDetail = line.startsWith('    ');
    if (!isDetail) groups.push([line]);
    else if (lines[index - 1]?.startsWith('    ') !== true && !shown.has(line)) groups.at(-1)?.push(line);
    if (isDetail) shown.add(line);
  }
  return groups;
}
