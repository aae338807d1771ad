import type { Json } from '@pawl/core';
import type { ReplayedStep } from '@pawl/core/projections';
import type { SessionSummary, Store } from '@pawl/runtime/store';
import { UsageError } from '../../output/exit-codes.ts';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import {
  toEvidenceEntry,
  formatEvidenceTable,
  formatStatus,
  type EvidenceEntry,
} from '../../sessions/session-ending.ts';
import {
  createManifestReader,
  listModelRequests,
  type ManifestReader,
} from '../../sessions/model-requests.ts';
import { openSessionReplay } from '../../sessions/session-replay.ts';
import { openStep, type OpenStep, type StepRecord } from '../../sessions/step-record.ts';
import { formatCount } from '../../output/format-number.ts';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';
import { formatCell, truncateColumns } from '../../output/columns.ts';

/**
 * Explains why a step of a session went the way it did; a step is one model request and everything that followed from
 * it.
 */
export async function explainStep(
  store: Store,
  { id, head }: SessionSummary,
  selector: string,
  { metadata, json, width }: { readonly metadata: Json; readonly json: boolean; readonly width: number },
): Promise<string> {
  const wanted = parseStepSelector(selector, head);
  const record = await findStepRecord(store, id, { head, wanted, metadata });
  const proof = await collectEvidence(store, id, record);
  return json
    ? JSON.stringify({ type: 'why', ...record, proof })
    : formatStepRecord(record, proof, width).join('\n');
}

/** Selects a step by its number, or by an event that belongs to it. */
type StepSelector = { readonly by: 'step' | 'event'; readonly number: number };

function parseStepSelector(selector: string, head: number): StepSelector {
  const [, event] = /^event:(.*)$/.exec(selector.trim()) ?? [];
  if (event === undefined) return { by: 'step', number: parseWholeNumberOption('--why', selector, 1) };
  const number = parseWholeNumberOption('--why event:', event, 1);
  if (number > head) throw new UsageError(`The session has ${head} events; there is no event ${number}.`);
  return { by: 'event', number };
}

type StepSearch = { readonly head: number; readonly wanted: StepSelector; readonly metadata: Json };

async function findStepRecord(
  store: Store,
  id: string,
  { head, wanted, metadata }: StepSearch,
): Promise<StepRecord> {
  const { walked } = await openSessionReplay(store, id, head);
  let count = 0;
  for await (const step of splitSteps(walked, createManifestReader(metadata))) {
    count += 1;
    if (wanted.by === 'event' && wanted.number < step.begins) throw createNoStepError(wanted.number);
    const reached = wanted.by === 'event' ? step.ends() : step.number;
    if (reached >= wanted.number) return step.record();
  }
  if (wanted.by === 'event') throw createNoStepError(wanted.number);
  throw new UsageError(`The session has ${formatCount(count, 'step')}; there is no step ${wanted.number}.`);
}

/**
 * An event that ends one step and starts the next belongs to the step it ends, because it is that step's result. A user
 * message belongs to the step it starts.
 */
async function* splitSteps(
  walked: AsyncIterable<ReplayedStep>,
  readManifest: ManifestReader,
): AsyncGenerator<OpenStep, void, undefined> {
  let step: OpenStep | null = null;
  let number = 0;
  for await (const each of walked) {
    const requests = listModelRequests(each, readManifest);
    if (requests.length === 0 || each.event.type !== 'user-message') step?.add(each);
    for (const request of requests) {
      if (step !== null) yield step;
      number += 1;
      step = openStep(each, request, number);
    }
  }
  if (step !== null) yield step;
}

function createNoStepError(event: number): UsageError {
  return new UsageError(`Event ${event} belongs to no step: it precedes the first model request.`);
}

/** Collects the events that a step's verdicts cite as evidence; most belong to earlier steps. */
async function collectEvidence(
  store: Store,
  id: string,
  { verdicts }: StepRecord,
): Promise<readonly EvidenceEntry[]> {
  const wanted = new Set(verdicts.flatMap(({ evidence }) => evidence));
  if (wanted.size === 0) return [];
  const { walked } = await openSessionReplay(store, id, findLargest(wanted));
  const proof: EvidenceEntry[] = [];
  for await (const each of walked) if (wanted.has(each.seq)) proof.push(toEvidenceEntry(each));
  return proof;
}

function findLargest(numbers: ReadonlySet<number>): number {
  let last = 0;
  for (const number of numbers) last = Math.max(last, number);
  return last;
}

/** Formats a step record for people. */
function formatStepRecord(
  record: StepRecord,
  evidenceEntries: readonly EvidenceEntry[],
  width: number,
): readonly string[] {
  const attempt = record.attempt > 1 ? `, attempt ${record.attempt}` : '';
  return [
    `Step ${record.number}, requested after event ${record.seq}${attempt}`,
    truncateColumns(`  cause: ${record.because}`, width),
    ...formatInjected(record, width),
    ...formatWhySection('What happened', formatStepEvents(record, width)),
    ...formatWhySection('Verdicts', formatStepVerdicts(record, evidenceEntries, width)),
    ...formatWhySection('Calls not run', formatDenials(record, width)),
    ...formatWhySection('Rules evaluated', formatRuleDistances(record)),
    '',
    formatStepResult(record),
  ];
}

function formatWhySection(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...rows];
}

function formatInjected({ injected, mode }: StepRecord, width: number): readonly string[] {
  const { advice, adviceRule, modeSection, lastAnswer } = injected;
  const source = adviceRule === null ? '' : ` (from rule ${sanitizeOneLine(adviceRule)})`;
  const rows = [
    ...(advice === null ? [] : [truncateColumns(`  advice${source}: ${advice}`, width * 4)]),
    ...(lastAnswer === null
      ? []
      : [truncateColumns(`  no tools, final answer requested: ${lastAnswer}`, width)]),
    ...(mode === null
      ? []
      : [truncateColumns(`  mode ${mode.state}; next modes: ${formatModeNames(mode.next)}`, width)]),
    ...(modeSection === null ? [] : indentLines(sanitizeText(modeSection))),
  ];
  return rows.length === 0
    ? ['', 'Nothing was added to the prompt besides the conversation.']
    : formatWhySection('Added to the prompt', rows);
}

function formatStepEvents({ happened }: StepRecord, width: number): readonly string[] {
  return happened.map(({ seq, what, text }) =>
    truncateColumns(`${formatCell(String(seq), 7, 'right')}  ${formatCell(what, 8)}  ${text}`, width),
  );
}

function formatStepVerdicts(
  { verdicts }: StepRecord,
  evidenceEntries: readonly EvidenceEntry[],
  width: number,
): readonly string[] {
  return verdicts.flatMap((verdict) => {
    const { seq, severity, rule, reason, advice, evidence, counterEvidence = [], response } = verdict;
    const counterEvidenceLines =
      counterEvidence.length === 0 ? [] : [`  counter-evidence: events ${counterEvidence.join(', ')}`];
    return [
      truncateColumns(`  event ${seq}: ${severity} by rule ${rule}: ${reason}`, width * 2),
      `  response: ${response.kind}`,
      ...(advice === '' ? [] : [truncateColumns(`  advice: ${advice}`, width * 4)]),
      ...formatEvidenceTable(
        evidenceEntries.filter((each) => evidence.includes(each.seq)),
        width,
      ),
      ...counterEvidenceLines.map((line) => truncateColumns(line, width)),
    ];
  });
}

function formatDenials({ denied }: StepRecord, width: number): readonly string[] {
  return denied.map(({ tool, kind, reason, rule }) => {
    const source = rule === null ? '' : `, blocked by rule ${rule}`;
    return truncateColumns(`  ${tool} (${kind}${source}): ${reason}`, width * 2);
  });
}

/** Rules without a match are only counted, because that is most of them. */
function formatRuleDistances({ rules, preset }: StepRecord): readonly string[] {
  if (rules.length === 0) return [`  none: the preset ${sanitizeOneLine(preset)} has no listed rules`];
  const matching = rules.filter(({ count }) => count > 0);
  const unmatchedCount = rules.length - matching.length;
  return [
    ...matching.map(({ rule, count, next }) => {
      const nextLevel = next === null ? 'at its highest level' : `${next.severity} at ${next.at}`;
      return `  ${formatCell(rule, 20)}  ${formatCell(String(count), 5, 'right')}  ${nextLevel}`;
    }),
    `  ${unmatchedCount} of ${rules.length} without a match`,
  ];
}

function formatStepResult({ led }: StepRecord): string {
  const path = led.by.length === 0 ? '' : ` (via ${led.by.join(' → ')})`;
  return `After event ${led.seq}: ${formatStatus(led.to)}${path}.`;
}

function formatModeNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function indentLines(text: string): readonly string[] {
  return text.split('\n').map((line) => `    ${line}`.trimEnd());
}
