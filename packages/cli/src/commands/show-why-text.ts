import { visible, visibleLine } from '../visible.ts';
import { evidenceLines, statusText, type Evidence } from './show-ending.ts';
import type { StepRecord } from './show-why-step.ts';
import { cell, fit } from './columns.ts';

/** A step's record for a person to read. */
export function whyLines(record: StepRecord, proof: readonly Evidence[], width: number): readonly string[] {
  const again = record.attempt > 1 ? `, attempt ${record.attempt}` : '';
  return [
    `Step ${record.number}, asked after event ${record.seq}${again}`,
    fit(`  because of: ${record.because}`, width),
    ...injectedLines(record, width),
    ...section('What happened', happenedLines(record, width)),
    ...section('Verdicts', verdictLines(record, proof, width)),
    ...section('Calls that were not run', deniedLines(record, width)),
    ...section('The rules that looked on', ruleLines(record)),
    '',
    ledLine(record),
  ];
}

function section(title: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...rows];
}

function injectedLines({ injected, mode }: StepRecord, width: number): readonly string[] {
  const { advice, adviceRule, modeSection, lastAnswer } = injected;
  const from = adviceRule === null ? '' : ` (from the rule ${visibleLine(adviceRule)})`;
  const rows = [
    ...(advice === null ? [] : [fit(`  advice${from}: ${advice}`, width * 4)]),
    ...(lastAnswer === null ? [] : [fit(`  no tools, this was to be the last answer: ${lastAnswer}`, width)]),
    ...(mode === null
      ? []
      : [fit(`  the mode ${mode.state}; from there it may go to ${listed(mode.next)}`, width)]),
    ...(modeSection === null ? [] : indented(visible(modeSection))),
  ];
  return rows.length === 0
    ? ['', 'Nothing was put into the prompt besides the conversation.']
    : section('Put into the prompt', rows);
}

function happenedLines({ happened }: StepRecord, width: number): readonly string[] {
  return happened.map(({ seq, what, text }) =>
    fit(`${cell(String(seq), 7, 'right')}  ${cell(what, 8)}  ${text}`, width),
  );
}

function verdictLines(
  { verdicts }: StepRecord,
  proof: readonly Evidence[],
  width: number,
): readonly string[] {
  return verdicts.flatMap((verdict) => {
    const { seq, level, rule, reason, advice, evidence, counterEvidence = [], response } = verdict;
    const against =
      counterEvidence.length === 0 ? [] : [`  against it: events ${counterEvidence.join(', ')}`];
    return [
      fit(`  event ${seq}: ${level} by the rule ${rule}: ${reason}`, width * 2),
      `  what was done about it: ${response.kind}`,
      ...(advice === '' ? [] : [fit(`  advice: ${advice}`, width * 4)]),
      ...evidenceLines(
        proof.filter((each) => evidence.includes(each.seq)),
        width,
      ),
      ...against.map((line) => fit(line, width)),
    ];
  });
}

function deniedLines({ denied }: StepRecord, width: number): readonly string[] {
  return denied.map(({ tool, kind, reason, rule }) => {
    const by = rule === null ? '' : `, refused by the rule ${rule}`;
    return fit(`  ${tool} (${kind}${by}): ${reason}`, width * 2);
  });
}

/** Rules that saw nothing are only counted: most of them, most of the time. */
function ruleLines({ rules, preset }: StepRecord): readonly string[] {
  if (rules.length === 0) return [`  none: the preset ${visibleLine(preset)} has no rules to list`];
  const near = rules.filter(({ count }) => count > 0);
  const quiet = rules.length - near.length;
  return [
    ...near.map(({ rule, count, next }) => {
      const ahead = next === null ? 'nothing is left for it to do' : `would ${next.level} at ${next.at}`;
      return `  ${cell(rule, 20)}  ${cell(String(count), 5, 'right')}  ${ahead}`;
    }),
    `  ${quiet} of ${rules.length} saw nothing`,
  ];
}

function ledLine({ led }: StepRecord): string {
  const way = led.by.length === 0 ? '' : ` (by way of ${led.by.join(' → ')})`;
  return `After event ${led.seq} it ${statusText(led.to)}${way}.`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nowhere' : names.join(', ');
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `    ${line}`.trimEnd());
}
