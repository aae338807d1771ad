import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { DayGroup, SourceGroup, WasteGroup } from './groups.ts';
import { createRunRanking, type RankedRun } from './ranking.ts';
import { buildVerdictProof, formatPlainMoney, formatRunCost, formatTokenCount } from './result.ts';
import { evidenceRunsMax, type AuditSummary, type AuditView } from './report.ts';
import { isGeneratedFile, writeFileAtomically } from '../../output/atomic-file.ts';
import { UsageError } from '../../output/exit-codes.ts';
import { groupDaySpans } from '../../output/day-spans.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';
import { formatDateTime } from '../../output/format-time.ts';
import {
  renderBars,
  renderFigures,
  renderHtmlNote,
  renderHtmlPage,
  renderHtmlSection,
} from '../../output/html-page.ts';
import {
  escapeHtmlText,
  renderColumnPlot,
  renderElement,
  type BarPart,
  type PlotBar,
} from '../../output/html-plots.ts';

/** The first line of a generated report, which marks it as safe to replace. */
const auditHtmlMarker = '<!doctype html><!-- pawl audit -->';

type AuditHtmlOptions = {
  readonly path: string;
  /** Where the runs were read, as the user named it. */
  readonly files: readonly string[];
  /** How many stuck runs the page shows with their evidence. */
  readonly runsMax: number;
  readonly at: number;
  /** Reports that the page is written. */
  readonly stderr: Writable;
};

/**
 * Collects the most wasteful runs, and writes them as an HTML page at the end. Throws before anything is read if the file
 * must not be replaced.
 */
export async function createHtmlView(options: AuditHtmlOptions): Promise<AuditView> {
  const { path, files, runsMax, at, stderr } = options;
  if (existsSync(path) && !(await isGeneratedFile(path, auditHtmlMarker)))
    throw new UsageError(
      `Cannot write ${JSON.stringify(path)}: it exists and is not a report of pawl audit. Choose another file.`,
    );
  const ranking = createRunRanking(Math.min(runsMax, evidenceRunsMax));
  return {
    async run(run, recorded) {
      const { decisiveVerdict } = run;
      if (decisiveVerdict?.isStuck === true)
        ranking.add(run, () => buildVerdictProof(recorded, decisiveVerdict));
    },
    problem: () => undefined,
    async end(summary) {
      const page = renderAuditHtml(summary, { stuckRuns: ranking.list(), files, at });
      await writeFileAtomically(path, page, await isGeneratedFile(path, auditHtmlMarker));
      stderr.write(`Wrote ${JSON.stringify(path)}.\n`);
    },
  };
}

type AuditHtmlSource = {
  readonly stuckRuns: readonly RankedRun[];
  readonly files: readonly string[];
  readonly at: number;
};

function renderAuditHtml(summary: AuditSummary, { stuckRuns, files, at }: AuditHtmlSource): string {
  const { totals, groups, folders } = summary;
  const where =
    folders.length > 0
      ? folders.map(({ agent, path }) => `${agent} (${path})`).join(', ')
      : formatNamedFiles(files);
  return renderHtmlPage({
    marker: auditHtmlMarker,
    title: 'Audit of recorded runs',
    intro: `${formatCount(totals.runs, 'run')} in ${where}, ${formatDateTime(at)}`,
    parts: [
      renderTotals(summary),
      renderHtmlSection('Over time', renderDays(groups.days)),
      renderHtmlSection('By rule', renderWasteBars('Wasted tokens by rule', groups.rules)),
      renderHtmlSection('By tool', renderWasteBars('Wasted tokens by tool', groups.tools)),
      renderHtmlSection('By source', renderSourceBars(groups.sources)),
      renderHtmlSection('Stuck runs, most wasteful first', renderStuckRuns(stuckRuns, totals.stuck)),
    ],
  });
}

function formatNamedFiles(files: readonly string[]): string {
  const [first = ''] = files;
  return files.length === 1 ? first : formatCount(files.length, 'file or folder', 'files and folders');
}

function renderTotals({ totals, skippedFiles }: AuditSummary): string {
  const { runs, stuck, warned, unknown, cost, after, problems } = totals;
  const figures: readonly (readonly [string, string])[] = [
    [formatGroupedNumber(stuck), `of ${formatCount(runs, 'run')} stuck`],
    [formatGroupedNumber(warned), 'runs warned'],
    ...(unknown === 0 ? [] : [[formatGroupedNumber(unknown), 'runs unknown'] as const]),
    [formatTokenCount(after.tokens), 'tokens wasted'],
    [formatShare(cost.tokens === 0 ? null : after.tokens / cost.tokens), 'of the tokens wasted'],
    [formatGroupedNumber(after.steps), 'steps wasted'],
    ...(after.money === null ? [] : [[formatPlainMoney(after.money), 'cost wasted'] as const]),
  ];
  const skipped = skippedFiles > 0 ? [`${formatCount(skippedFiles, 'file')} without a run skipped.`] : [];
  const failed =
    skippedFiles === 0 && problems > 0 ? [`${formatCount(problems, 'problem')} while reading.`] : [];
  const note = [
    'Wasted is what a run cost after the verdict that would have ended it.',
    `All runs together: ${formatRunCost(cost)}.`,
    ...skipped,
    ...failed,
  ];
  return renderFigures(figures) + renderHtmlNote(note.join(' '));
}

function renderDays(days: readonly DayGroup[]): readonly string[] {
  if (days.length === 0) return [];
  const columns = groupDaySpans(days, (name, group) => {
    const sum = (key: Exclude<keyof DayGroup, 'day'>): number =>
      group.reduce((total, each) => total + each[key], 0);
    const [tokens, wasted] = [sum('tokens'), sum('wastedTokens')];
    const title = `${name}: ${formatTokenCount(wasted)} of ${formatTokenCount(tokens)} tokens wasted, ${sum('stuck')} of ${formatCount(sum('runs'), 'run')} stuck`;
    const parts: readonly BarPart[] = [
      { value: wasted, kind: 'bad', title },
      { value: tokens - wasted, kind: 'plain', title },
    ];
    return { name, parts };
  });
  const legend = [
    ['bad', 'wasted'],
    ['plain', 'other'],
  ] as const;
  return [renderColumnPlot({ title: 'Tokens by day', legend }, columns, formatTokenCount)];
}

function renderWasteBars(title: string, groups: readonly WasteGroup[]): readonly string[] {
  return renderBars(
    { title },
    groups.map(({ name, stuck, wasted }): PlotBar => {
      const label = `${formatTokenCount(wasted.tokens)}, ${formatCount(stuck, 'run')}`;
      const about = `${name}: ${formatRunCost(wasted)} wasted in ${formatCount(stuck, 'stuck run')}`;
      return { name, parts: [{ value: wasted.tokens, kind: 'bad', title: about }], label };
    }),
  );
}

function renderSourceBars(sources: readonly SourceGroup[]): readonly string[] {
  const legend = [
    ['bad', 'stuck'],
    ['good', 'other'],
  ] as const;
  return renderBars(
    { title: 'Runs by source', legend },
    sources.map(({ name, runs, stuck, wasted }): PlotBar => {
      const title = `${name}: ${stuck} of ${formatCount(runs, 'run')} stuck, ${formatRunCost(wasted)} wasted`;
      return {
        name,
        parts: [
          { value: stuck, kind: 'bad', title },
          { value: runs - stuck, kind: 'good', title },
        ],
        label: `${formatCount(runs, 'run')}, ${formatTokenCount(wasted.tokens)} wasted`,
      };
    }),
  );
}

/** How many runs are shown without a click. */
const openRunsMax = 3;

function renderStuckRuns(ranked: readonly RankedRun[], stuck: number): readonly string[] {
  const hidden = stuck - ranked.length;
  return [
    ...ranked.map((each, index) => renderStuckRun(each, index < openRunsMax)),
    ...(hidden > 0
      ? [renderHtmlNote(`${formatCount(hidden, 'more stuck run')}; --format json has all of them.`)]
      : []),
  ];
}

function renderStuckRun({ run, proof }: RankedRun, isOpen: boolean): string {
  const verdict = run.decisiveVerdict;
  if (verdict === null) return '';
  const { rule, severity, step, since, reason, advice, evidence, spent, after } = verdict;
  const hidden = evidence.length - proof.length;
  const about = [
    run.source,
    run.model,
    run.startedAt === null ? null : formatDateTime(run.startedAt),
    run.file,
  ];
  const lines = [
    about.filter((each) => each !== null).join(', '),
    `${rule}: ${severity} after step ${step}, stuck since step ${since}: ${reason}.`,
    `Advice: ${advice}`,
    `From step ${since} on: ${formatRunCost(spent)}. After the verdict: ${formatRunCost(after)}.`,
  ];
  const summary = renderElement(
    'summary',
    {},
    `${renderElement('b', {}, escapeHtmlText(run.id))} ${escapeHtmlText(`${rule}, ${formatRunCost(after)} wasted`)}`,
  );
  const content = [
    ...lines.map((line) => renderElement('p', {}, escapeHtmlText(line, maxRunCharacters))),
    renderProofTable(proof),
    ...(hidden > 0
      ? [renderHtmlNote(`and ${formatCount(hidden, 'more call like these', 'more calls like these')}`)]
      : []),
  ];
  return renderElement(
    'details',
    { class: 'run', ...(isOpen ? { open: '' } : {}) },
    summary + content.join(''),
  );
}

const maxRunCharacters = 1_000;

function renderProofTable(proof: RankedRun['proof']): string {
  const head = ['step', 'tool', 'arguments', 'outcome'];
  const rows = proof.map(({ step, tool, args, result, error }) => [
    String(step),
    tool,
    args,
    error ? `error: ${result}` : result,
  ]);
  const inside =
    renderElement('thead', {}, renderProofRow(head, 'th')) +
    renderElement('tbody', {}, rows.map((row) => renderProofRow(row, 'td')).join(''));
  return renderElement('div', { class: 'wide' }, renderElement('table', { class: 'proof' }, inside));
}

function renderProofRow(row: readonly string[], name: 'td' | 'th'): string {
  const cells = row.map((text) => renderElement(name, {}, escapeHtmlText(text, maxRunCharacters)));
  return renderElement('tr', {}, cells.join(''));
}
