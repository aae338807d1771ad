import { styleText } from 'node:util';
import { formatPhaseLine, computePhaseProgress } from '@pawl/core/phases';
import { restingStatuses, type ReplayedStep } from '@pawl/core/projections';
import {
  getOwnerState,
  computeStateHash,
  getMetadataText,
  type SessionSummary,
  type Store,
  type SessionClaim,
} from '@pawl/runtime/store';
import { exitCodes, UsageError, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';
import { LineOutput } from '../../output/line-output.ts';
import { findSession } from '../../sessions/find-session.ts';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import {
  formatSessionTotals,
  surveySession,
  openSessionReplay,
  type SessionSurvey,
} from '../../sessions/session-replay.ts';
import {
  describeSessionEnding,
  formatEvidenceTable,
  toEvidenceEntry,
  isSessionRunning,
  formatStatus,
  type DescribedEnding,
  type EvidenceEntry,
} from '../../sessions/session-ending.ts';
import { renderPrompt } from './prompt.ts';
import { toStateJson, formatSessionState } from './state.ts';
import { formatClockTime, formatDateTime, formatDuration } from '../../output/format-time.ts';
import { formatDiffGutter, parseDiffLines } from '../../output/diff-lines.ts';
import { toTimelineEntries, type TimelineEntry } from '../../sessions/step-record.ts';
import { explainStep } from './why.ts';
import { formatCell, truncateColumns, getOutputWidth } from '../../output/columns.ts';
import type { Json } from '@pawl/core';
import { isAskModelAction } from '@pawl/core/turn';

export type ShowSessionOptions = SessionFlags & {
  readonly at?: string | undefined;
  readonly prompt?: string | undefined;
  /** A step number, or `event:N` for the step that event N belongs to. */
  readonly why?: string | undefined;
  readonly events?: boolean | undefined;
};

/** Shows a session: its totals, its timeline and why it stopped; or one aspect of it. */
export function showSession(
  sessionRef: string,
  options: ShowSessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { at, prompt, why, events } = options;
  if ([at, prompt, why, events].filter((each) => each !== undefined).length > 1) {
    throw new UsageError('Use only one of --at, --prompt, --why and --events.');
  }
  return withSessionStore(options, async (store) => {
    const summary = await findSession(store, sessionRef, options.dir);
    const output = new LineOutput(io.stdout);
    if (at !== undefined) await output.write(await renderStateAtEvent(store, summary, at, { options, io }));
    else if (prompt !== undefined)
      await output.write(await renderNumberedPrompt(store, summary, prompt, options));
    else if (why !== undefined)
      await output.write(await renderStepExplanation(store, summary, why, { options, io }));
    else if (events === true) await writeSessionEvents(store, summary, output);
    else await writeSessionReport(store, summary, { output, io, json: options.json === true });
    return exitCodes.finished;
  });
}

async function renderStateAtEvent(
  store: Store,
  { id, head }: SessionSummary,
  at: string,
  { options, io }: { readonly options: ShowSessionOptions; readonly io: CommandIo },
): Promise<string> {
  const seq = parseWholeNumberOption('--at', at, 0);
  if (seq > head) throw new UsageError(`The session has ${head} events; --at ${seq} is beyond its end.`);
  const { session } = await store.open(id, { at: seq });
  return options.json === true
    ? toStateJson(session)
    : formatSessionState(session, getOutputWidth(io.stdout)).join('\n');
}

async function renderNumberedPrompt(
  store: Store,
  { id, head }: SessionSummary,
  prompt: string,
  { json }: ShowSessionOptions,
): Promise<string> {
  const number = parseWholeNumberOption('--prompt', prompt, 1);
  // Session lists omit the prompt and the tools, because they are long.
  const { metadata } = await store.open(id, { at: 0 });
  return renderPrompt(await openSessionReplay(store, id, head), number, {
    metadata,
    json: json === true,
  });
}

async function renderStepExplanation(
  store: Store,
  summary: SessionSummary,
  why: string,
  { options, io }: { readonly options: ShowSessionOptions; readonly io: CommandIo },
): Promise<string> {
  const { metadata } = await store.open(summary.id, { at: 0 });
  return explainStep(store, summary, why, {
    metadata,
    json: options.json === true,
    width: getOutputWidth(io.stdout),
  });
}

async function writeSessionEvents(
  store: Store,
  { id, head }: SessionSummary,
  output: LineOutput,
): Promise<void> {
  for await (const { seq, event } of store.events(id)) {
    if (seq > head || output.closed) return;
    await output.write(JSON.stringify(event));
  }
}

type ShowContext = { readonly output: LineOutput; readonly io: CommandIo; readonly json: boolean };

/** Reads the log twice, to print the totals first without holding all entries in memory. */
async function writeSessionReport(
  store: Store,
  summary: SessionSummary,
  context: ShowContext,
): Promise<void> {
  const { id, head } = summary;
  const { output, io, json } = context;
  const line = createProgressLine(io.stderr);
  const survey = await surveySession(await openSessionReplay(store, id, head), (seq) =>
    line.show(`Reading event ${seq} of ${head} …`),
  );
  line.clear();
  const ending = describeSessionEnding(survey);
  const takeovers = findTakeovers(await store.claims(id), summary.metadata);
  await output.write(
    json
      ? JSON.stringify({ ...toSessionJson(summary, survey), takeovers })
      : formatSessionSummary(summary, survey, takeovers),
  );
  if (!json) await output.write('');
  const proof: EvidenceEntry[] = [];
  const { walked } = await openSessionReplay(store, id, head);
  const wanted = new Set(ending.evidence);
  let requestCount = 0;
  for await (const each of walked) {
    if (output.closed) return;
    await writeTimelineEntries(each, requestCount, context);
    requestCount += each.after.actions.filter(isAskModelAction).length;
    if (wanted.has(each.seq)) proof.push(toEvidenceEntry(each));
  }
  await output.write(
    json
      ? JSON.stringify({ type: 'ending', ...ending, proof })
      : formatSessionEnding(ending, { answer: survey.answer, proof }, io),
  );
}

/** `prompt` is the request number to pass to --prompt for the request that the model answered. */
async function writeTimelineEntries(
  each: ReplayedStep,
  prompt: number,
  { output, io, json }: ShowContext,
): Promise<void> {
  const width = getOutputWidth(io.stdout);
  for (const entry of toTimelineEntries(each)) {
    const numbered = entry.what === 'model' ? { ...entry, prompt } : { ...entry, prompt: null };
    if (json) await output.write(JSON.stringify({ type: 'entry', ...numbered }));
    else {
      await output.write(formatTimelineEntry(numbered, width, io));
      for (const line of formatTimelineDiff(entry, width, io)) await output.write(line);
    }
  }
}

function formatTimelineEntry(
  entry: TimelineEntry & { readonly prompt: number | null },
  width: number,
  io: CommandIo,
): string {
  const { seq, at, what, prompt, text, tookMs, failed } = entry;
  const start = [
    formatCell(String(seq), 5, 'right'),
    formatClockTime(at),
    formatCell(tookMs === null ? '' : formatDuration(tookMs), 10, 'right'),
    formatCell(prompt === null ? what : `${what} ${prompt}`, 9),
  ].join('  ');
  const line = `${start}  ${truncateColumns(text, Math.max(20, width - start.length - 2))}`;
  return failed ? styleText('red', line, { stream: io.stdout }) : line;
}

/** Maximum number of lines of a diff below its entry; `--json` has all of it. */
const maxDiffLines = 20;

function formatTimelineDiff({ diff }: TimelineEntry, width: number, io: CommandIo): readonly string[] {
  if (diff === null) return [];
  const lines = parseDiffLines(diff);
  const colors = { added: 'green', removed: 'red', context: 'dim', gap: 'dim' } as const;
  const hidden = lines.length - maxDiffLines;
  return [
    ...lines.slice(0, maxDiffLines).map((line) => {
      const text = `        ${formatDiffGutter(line)}${sanitizeOneLine(line.text)}`;
      return styleText(colors[line.kind], truncateColumns(text, width), { stream: io.stdout });
    }),
    ...(hidden > 0 ? [`        … ${hidden} more lines`] : []),
  ];
}

/** The first line of the --json output. */
function toSessionJson(summary: SessionSummary, { end, totals, outcome, answer }: SessionSurvey): object {
  const { replies: steps, files, ...counts } = totals;
  const { id, profile, metadata, parent, createdAt, updatedAt, owner } = summary;
  const status = end.turn.status;
  const { completed: done, ...progress } = computePhaseProgress(end.phases, totals.lastAt ?? createdAt);
  return {
    type: 'session',
    id,
    profile,
    status,
    running: isSessionRunning({ status }, getOwnerState(owner)),
    dir: getMetadataText(metadata, 'dir'),
    model: getMetadataText(metadata, 'model'),
    parent,
    createdAt,
    updatedAt,
    phases: { ...progress, done },
    ...counts,
    steps,
    files: files.toSorted(),
    error: outcome.error,
    answer,
    stateHash: computeStateHash(end),
  };
}

/** Maximum columns of a goal or a name. */
const maxSummaryColumns = 1_000;

function formatSessionSummary(
  summary: SessionSummary,
  { end, totals }: SessionSurvey,
  takeovers: readonly SessionTakeover[],
): string {
  const { id, profile, metadata, parent, createdAt, owner } = summary;
  const { goal, lastAt } = totals;
  const { status } = end.turn;
  const running = isSessionRunning({ status }, getOwnerState(owner)) ? ', running' : '';
  const hasPhases = end.phases.current !== null || end.phases.completed.length > 0;
  const rows: readonly (readonly [string, string | null])[] = [
    ['goal', goal],
    ['folder', getMetadataText(metadata, 'dir')],
    ['model', getMetadataText(metadata, 'model')],
    ['profile', profile],
    ['state', `${formatStatus(status)}${running}`],
    ['taken over', formatTakeovers(takeovers)],
    ['started', formatDateTime(createdAt)],
    ['duration', lastAt === null ? null : formatDuration(Math.max(0, lastAt - createdAt))],
    ['totals', formatSessionTotals(totals)],
    ['phases', hasPhases ? formatPhaseLine(computePhaseProgress(end.phases, lastAt ?? createdAt)) : null],
    ['forked from', parent === null ? null : `${parent.id} after event ${parent.at}`],
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === null ? [] : [`  ${name.padEnd(11)}  ${truncateColumns(text, maxSummaryColumns)}`],
  );
  return [`Session ${sanitizeOneLine(id)}`, ...lines].join('\n');
}

/** Maximum length of an answer here; a transcript has the full text. */
const maxAnswerCharacters = 4_000;

function formatSessionEnding(
  { how, reason, rule, advice }: DescribedEnding,
  { answer, proof }: { readonly answer: string | null; readonly proof: readonly EvidenceEntry[] },
  io: CommandIo,
): string {
  const head = how === 'unfinished' ? 'Not finished' : `Ended: ${how}`;
  const ruleText = rule === null ? '' : ` (rule ${sanitizeOneLine(rule)})`;
  const isAnswered = how === 'answered' && answer !== null;
  return [
    '',
    styleText('bold', `${head}${ruleText}`, { stream: io.stdout }),
    isAnswered ? sanitizeText(truncateAnswer(answer)) : `  ${truncateColumns(reason, maxSummaryColumns)}`,
    ...(advice === null ? [] : [`  advice: ${truncateColumns(advice, maxSummaryColumns)}`]),
    ...(proof.length === 0 ? [] : formatEvidenceTable(proof, getOutputWidth(io.stdout))),
  ].join('\n');
}

function truncateAnswer(text: string): string {
  return text.length > maxAnswerCharacters ? `${text.slice(0, maxAnswerCharacters)}…` : text;
}

/** A process claimed a session from another owner in the middle of its work. */
type SessionTakeover = {
  readonly by: string;
  readonly from: string;
  /** Time in milliseconds, and the last event before the takeover. */
  readonly at: number;
  readonly after: number;
};

/** A claim without work in progress is not a takeover. */
function hasWork({ status }: SessionClaim): boolean {
  return status !== 'damaged' && !restingStatuses.has(status);
}

/** Finds takeovers in a session's claims. */
export function findTakeovers(claims: readonly SessionClaim[], metadata: Json): readonly SessionTakeover[] {
  // The first claim is that of the submitter, which only hands the session to the workers.
  const workClaims = isWorkerSession(metadata) ? claims.slice(1) : claims;
  return workClaims.flatMap((claim, index) => {
    const before = workClaims[index - 1];
    const isTakeover = before !== undefined && before.owner !== claim.owner && hasWork(claim);
    return isTakeover ? [{ by: claim.owner, from: before.owner, at: claim.at, after: claim.head }] : [];
  });
}

const maxShownTakeovers = 5;

/** Null if there are no takeovers. */
export function formatTakeovers(takeovers: readonly SessionTakeover[]): string | null {
  if (takeovers.length === 0) return null;
  const times = takeovers.length === 1 ? 'once' : `${takeovers.length} times`;
  const shown = takeovers
    .slice(-maxShownTakeovers)
    .map(
      ({ by, from, at, after }) =>
        `by ${formatOwner(by)} from ${formatOwner(from)} at ${formatDateTime(at)}, after event ${after}`,
    );
  const more = takeovers.length > maxShownTakeovers ? 'most recently ' : '';
  return `${times}: ${more}${shown.join('; ')}`;
}

/** Shortens an owner name to its host and process id. */
function formatOwner(owner: string): string {
  const [, host, pid] = /^pawl host=(\S+) .*\bpid=(\d+) /.exec(owner) ?? [];
  return truncateColumns(host === undefined ? owner : `${host}:${pid}`, 80);
}

function isWorkerSession(metadata: Json): boolean {
  return typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, 'worker');
}
