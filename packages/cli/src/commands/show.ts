import { styleText } from 'node:util';
import { phaseLine, phaseProgress } from '@pawl/core';
import { ownerState, stateHash, textAbout, type SessionSummary, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { UsageError } from '../usage-error.ts';
import { visible, visibleLine } from '../visible.ts';
import { LineOutput } from './line-output.ts';
import { sessionNamed } from './session-named.ts';
import { wholeNumber } from './option-number.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { accountOf, workText, type Account } from './show-account.ts';
import {
  endingOf,
  evidenceLines,
  evidenceOf,
  isRunning,
  statusText,
  type Ending,
  type Evidence,
} from './show-ending.ts';
import { promptText } from './show-prompt.ts';
import { isAsk } from './show-request.ts';
import { stateJson, stateLines } from './show-state.ts';
import { takeoversIn, takeoversText, type Takeover } from './show-takeovers.ts';
import { clockTime, dateTime, duration } from './show-time.ts';
import { timelineOf, type TimelineEntry } from './show-timeline.ts';
import { walkSession, type Walked } from './show-walk.ts';
import { whyText } from './show-why.ts';
import { cell, fit, widthOf } from './columns.ts';

export type ShowOptions = SessionFlags & {
  readonly at?: string | undefined;
  readonly prompt?: string | undefined;
  /** A step by its number, or `event:N` for the one that event N belongs to. */
  readonly why?: string | undefined;
  readonly events?: boolean | undefined;
};

/** Shows a session: what it came to, what happened, and why it stopped; or only one thing about it. */
export function showSession(word: string, options: ShowOptions, io: Io): Promise<ExitCode> {
  const { at, prompt, why, events } = options;
  if ([at, prompt, why, events].filter((each) => each !== undefined).length > 1) {
    throw new UsageError('Give one of --at, --prompt, --why and --events, not several.');
  }
  return withStore(options, async (store) => {
    const summary = await sessionNamed(store, word, options.dir);
    const output = new LineOutput(io.stdout);
    if (at !== undefined) await output.write(await stateAt(store, summary, at, { options, io }));
    else if (prompt !== undefined) await output.write(await promptNumber(store, summary, prompt, options));
    else if (why !== undefined) await output.write(await stepNumber(store, summary, why, { options, io }));
    else if (events === true) await writeEvents(store, summary, output);
    else await showWhole(store, summary, { output, io, json: options.json === true });
    return exitCodes.finished;
  });
}

async function stateAt(
  store: Store,
  { id, head }: SessionSummary,
  at: string,
  { options, io }: { readonly options: ShowOptions; readonly io: Io },
): Promise<string> {
  const seq = wholeNumber('--at', at, 0);
  if (seq > head) throw new UsageError(`The session has ${head} events; --at ${seq} is beyond its end.`);
  const { session } = await store.open(id, { at: seq });
  return options.json === true ? stateJson(session) : stateLines(session, widthOf(io.stdout)).join('\n');
}

async function promptNumber(
  store: Store,
  { id, head }: SessionSummary,
  prompt: string,
  { json }: ShowOptions,
): Promise<string> {
  const number = wholeNumber('--prompt', prompt, 1);
  // A list of sessions leaves out what is long: the prompt and the tools.
  const { about } = await store.open(id, { at: 0 });
  return promptText(await walkSession(store, id, head), number, { about, json: json === true });
}

async function stepNumber(
  store: Store,
  summary: SessionSummary,
  why: string,
  { options, io }: { readonly options: ShowOptions; readonly io: Io },
): Promise<string> {
  const { about } = await store.open(summary.id, { at: 0 });
  return whyText(store, summary, why, { about, json: options.json === true, width: widthOf(io.stdout) });
}

async function writeEvents(store: Store, { id, head }: SessionSummary, output: LineOutput): Promise<void> {
  for await (const { seq, event } of store.events(id)) {
    if (seq > head || output.closed) return;
    await output.write(JSON.stringify(event));
  }
}

type Showing = { readonly output: LineOutput; readonly io: Io; readonly json: boolean };

/** The log is gone through twice, to have the sum before the parts without keeping the parts. */
async function showWhole(store: Store, summary: SessionSummary, showing: Showing): Promise<void> {
  const { id, head } = summary;
  const { output, io, json } = showing;
  const line = progressLine(io.stderr);
  const account = await accountOf(await walkSession(store, id, head), (seq) =>
    line.show(`Reading event ${seq} of ${head} …`),
  );
  line.clear();
  const ending = endingOf(account);
  const takeovers = takeoversIn(await store.claims(id), summary.about);
  await output.write(
    json
      ? JSON.stringify({ ...told(summary, account), takeovers })
      : summaryText(summary, account, takeovers),
  );
  if (!json) await output.write('');
  const proof: Evidence[] = [];
  const { walked } = await walkSession(store, id, head);
  const wanted = new Set(ending.evidence);
  let asked = 0;
  for await (const each of walked) {
    if (output.closed) return;
    await writeEntries(each, asked, showing);
    asked += each.after.actions.filter(isAsk).length;
    if (wanted.has(each.seq)) proof.push(evidenceOf(each));
  }
  await output.write(
    json
      ? JSON.stringify({ type: 'ending', ...ending, proof })
      : endingText(ending, { answer: account.answer, proof }, io),
  );
}

/** `prompt` is the number that --prompt shows what the model answered to. */
async function writeEntries(each: Walked, prompt: number, { output, io, json }: Showing): Promise<void> {
  const width = widthOf(io.stdout);
  for (const entry of timelineOf(each)) {
    const numbered = entry.what === 'model' ? { ...entry, prompt } : { ...entry, prompt: null };
    if (json) await output.write(JSON.stringify({ type: 'entry', ...numbered }));
    else await output.write(entryLine(numbered, width, io));
  }
}

function entryLine(entry: TimelineEntry & { readonly prompt: number | null }, width: number, io: Io): string {
  const { seq, at, what, prompt, text, tookMs, failed } = entry;
  const start = [
    cell(String(seq), 5, 'right'),
    clockTime(at),
    cell(tookMs === null ? '' : duration(tookMs), 10, 'right'),
    cell(prompt === null ? what : `${what} ${prompt}`, 9),
  ].join('  ');
  const line = `${start}  ${fit(text, Math.max(20, width - start.length - 2))}`;
  return failed ? styleText('red', line, { stream: io.stdout }) : line;
}

/** The first line of --json. */
function told(summary: SessionSummary, account: Account): object {
  const { created: _, end, verdict: __, ...counts } = account;
  const { id, profile, about, parent, createdAt, updatedAt, owner } = summary;
  const status = end.turn.status;
  return {
    type: 'session',
    id,
    profile,
    status,
    running: isRunning({ status }, ownerState(owner)),
    dir: textAbout(about, 'dir'),
    model: textAbout(about, 'model'),
    parent,
    createdAt,
    updatedAt,
    phases: phaseProgress(end.phases, account.lastAt ?? createdAt),
    ...counts,
    stateHash: stateHash(end),
  };
}

/** Columns of a goal or a name; nobody reads a longer one here. */
const textMax = 1_000;

function summaryText(summary: SessionSummary, account: Account, takeovers: readonly Takeover[]): string {
  const { id, profile, about, parent, createdAt, owner } = summary;
  const { end, goal, lastAt } = account;
  const { status } = end.turn;
  const running = isRunning({ status }, ownerState(owner)) ? ', running now' : '';
  const hasPhases = end.phases.current !== null || end.phases.completed.length > 0;
  const rows: readonly (readonly [string, string | null])[] = [
    ['goal', goal],
    ['folder', textAbout(about, 'dir')],
    ['model', textAbout(about, 'model')],
    ['profile', profile],
    ['state', `${statusText(status)}${running}`],
    ['taken over', takeoversText(takeovers)],
    ['started', dateTime(createdAt)],
    ['took', lastAt === null ? null : duration(Math.max(0, lastAt - createdAt))],
    ['work', workText(account)],
    ['phases', hasPhases ? phaseLine(phaseProgress(end.phases, lastAt ?? createdAt)) : null],
    ['forked from', parent === null ? null : `${parent.id} after event ${parent.at}`],
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === null ? [] : [`  ${name.padEnd(11)}  ${fit(text, textMax)}`],
  );
  return [`Session ${visibleLine(id)}`, ...lines].join('\n');
}

/** More of an answer than this is for a transcript. */
const answerMax = 4_000;

function endingText(
  { how, reason, rule, advice }: Ending,
  { answer, proof }: { readonly answer: string | null; readonly proof: readonly Evidence[] },
  io: Io,
): string {
  const head = how === 'unfinished' ? 'Not ended' : `Ended: ${how}`;
  const by = rule === null ? '' : `, by the rule ${visibleLine(rule)}`;
  const isAnswered = how === 'answered' && answer !== null;
  return [
    '',
    styleText('bold', `${head}${by}`, { stream: io.stdout }),
    isAnswered ? visible(cut(answer)) : `  ${fit(reason, textMax)}`,
    ...(advice === null ? [] : [`  advice: ${fit(advice, textMax)}`]),
    ...(proof.length === 0 ? [] : evidenceLines(proof, widthOf(io.stdout))),
  ].join('\n');
}

function cut(text: string): string {
  return text.length > answerMax ? `${text.slice(0, answerMax)}…` : text;
}
