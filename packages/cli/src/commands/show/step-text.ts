import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';
import { formatEvidenceTable, formatStatus, type EvidenceEntry } from '../../sessions/session-ending.ts';
import type { StepRecord } from '../../sessions/step-record.ts';
import { formatCell, truncateColumns } from '../../output/columns.ts';

/** Formats a step record for people. */
export function formatStepRecord(
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
