import type { AuditedRun, AuditFinding, ProvingCall } from './audit-result.ts';
import { visibleLine } from '../visible.ts';
import { cell, fit } from './columns.ts';
import { counted } from './number-text.ts';
import { costText } from './audit-cost.ts';

/** Why a run counts as stuck: the rule, the calls that match it side by side, what it cost, and what was to be said. */
export function proofLines({ id }: AuditedRun, finding: AuditFinding, width: number): readonly string[] {
  const { rule, level, step, since, reason, advice, proof, evidence, after, spent } = finding;
  const hidden = evidence.length - proof.length;
  return [
    fit(id, width),
    `  ${rule}: ${level} after step ${step}, stuck since step ${since}`,
    `  ${visibleLine(reason)}.`,
    `  advice: ${visibleLine(advice)}`,
    ...callTable(proof, width),
    ...(hidden > 0 ? [`  and ${counted(hidden, 'more call like these', 'more calls like these')}`] : []),
    `  from step ${since} on: ${costText(spent)}; after the verdict: ${costText(after)}`,
  ];
}

const stepWidth = 6;
const outcomeMin = 20;

function callTable(calls: readonly ProvingCall[], width: number): readonly string[] {
  const toolWidth = Math.min(24, Math.max(4, ...calls.map(({ tool }) => tool.length)));
  const left = width - 2 - stepWidth - 2 - toolWidth - 2;
  const argsWidth = Math.max(10, Math.floor((left - 2) / 2));
  const resultWidth = Math.max(outcomeMin, left - 2 - argsWidth);
  const row = (step: string, tool: string, args: string, result: string): string =>
    `  ${cell(step, stepWidth, 'right')}  ${cell(tool, toolWidth)}  ${cell(args, argsWidth)}  ${fit(result, resultWidth)}`;
  return [
    row('step', 'tool', 'arguments', 'outcome'),
    ...calls.map(({ step, tool, args, result, error }) =>
      row(String(step), tool, args, error ? `error: ${result}` : result),
    ),
  ].map((line) => line.trimEnd());
}
