import { sanitizeText, sanitizeOneLine } from '../sanitize-text.ts';
import { formatEvidenceTable, formatStatus, type EvidenceEntry } from './session-ending.ts';
import type { StepRecord } from './step-record.ts';
import { formatCell, truncateColumns } from './columns.ts';

/** Formats a step record for people. */
export function formatStepRecord(
  record: StepRecord,
  proof: readonly EvidenceEntry[],
  width: number,
): readonly string[] {
  const again = record.attempt > 1 ? `, attempt ${record.attempt}` : '';
  return [
    `Step ${record.number}, asked after event ${record.seq}${again}`,
    truncateColumns(`  because of: ${record.because}`, width),
    ...formatInjected(record, width),
    ...formatWhySection('What happened', formatStepEvents(record, width)),
    ...formatWhySection('Verdicts', formatStepVerdicts(record, proof, width)),
    ...formatWhySection('Calls that were not run', formatDenials(record, width)),
    ...formatWhySection('The rules that looked on', formatRuleDistances(record)),
    '',
    formatStepResult(record),
  ];
}

function formatWhySection(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...rows];
}

function formatInjected({ injected, mode }: StepRecord, width: number): readonly string[] {
  const { advice, adviceRule, modeSection, lastAnswer } = injected;
  const from = adviceRule === null ? '' : ` (from the rule ${sanitizeOneLine(adviceRule)})`;
  const rows = [
    ...(advice === null ? [] : [truncateColumns(`  advice${from}: ${advice}`, width * 4)]),
    ...(lastAnswer === null
      ? []
      : [truncateColumns(`  no tools, this was to be the last answer: ${lastAnswer}`, width)]),
    ...(mode === null
      ? []
      : [
          truncateColumns(
            `  the mode ${mode.state}; from there it may go to ${formatModeNames(mode.next)}`,
            width,
          ),
        ]),
    ...(modeSection === null ? [] : indentLines(sanitizeText(modeSection))),
  ];
  return rows.length === 0
    ? ['', 'Nothing was put into the prompt besides the conversation.']
    : formatWhySection('Put into the prompt', rows);
}

function formatStepEvents({ happened }: StepRecord, width: number): readonly string[] {
  return happened.map(({ seq, what, text }) =>
    truncateColumns(`${formatCell(String(seq), 7, 'right')}  ${formatCell(what, 8)}  ${text}`, width),
  );
}

function formatStepVerdicts(
  { verdicts }: StepRecord,
  proof: readonly EvidenceEntry[],
  width: number,
): readonly string[] {
  return verdicts.flatMap((verdict) => {
    const { seq, level, rule, reason, advice, evidence, counterEvidence = [], response } = verdict;
    const against =
      counterEvidence.length === 0 ? [] : [`  against it: events ${counterEvidence.join(', ')}`];
    return [
      truncateColumns(`  event ${seq}: ${level} by the rule ${rule}: ${reason}`, width * 2),
      `  what was done about it: ${response.kind}`,
      ...(advice === '' ? [] : [truncateColumns(`  advice: ${advice}`, width * 4)]),
      ...formatEvidenceTable(
        proof.filter((each) => evidence.includes(each.seq)),
        width,
      ),
      ...against.map((line) => truncateColumns(line, width)),
    ];
  });
}

function formatDenials({ denied }: StepRecord, width: number): readonly string[] {
  return denied.map(({ tool, kind, reason, rule }) => {
    const by = rule === null ? '' : `, refused by the rule ${rule}`;
    return truncateColumns(`  ${tool} (${kind}${by}): ${reason}`, width * 2);
  });
}

/** Rules without a match are only counted, because that is most of them. */
function formatRuleDistances({ rules, preset }: StepRecord): readonly string[] {
  if (rules.length === 0) return [`  none: the preset ${sanitizeOneLine(preset)} has no rules to list`];
  const near = rules.filter(({ count }) => count > 0);
  const quiet = rules.length - near.length;
  return [
    ...near.map(({ rule, count, next }) => {
      const ahead = next === null ? 'nothing is left for it to do' : `would ${next.level} at ${next.at}`;
      return `  ${formatCell(rule, 20)}  ${formatCell(String(count), 5, 'right')}  ${ahead}`;
    }),
    `  ${quiet} of ${rules.length} saw nothing`,
  ];
}

function formatStepResult({ led }: StepRecord): string {
  const way = led.by.length === 0 ? '' : ` (by way of ${led.by.join(' → ')})`;
  return `After event ${led.seq}: ${formatStatus(led.to)}${way}.`;
}

function formatModeNames(names: readonly string[]): string {
  return names.length === 0 ? 'nowhere' : names.join(', ');
}

function indentLines(text: string): readonly string[] {
  return text.split('\n').map((line) => `    ${line}`.trimEnd());
}
