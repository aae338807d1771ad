import type { AuditedRun, DecisiveVerdict, EvidenceCall } from './audit-result.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { formatCell, truncateColumns } from './columns.ts';
import { formatCount } from './format-number.ts';
import { formatRunCost } from './audit-cost.ts';

/** Explains why a run is stuck: the rule, the matching calls side by side, the cost, and the advice. */
export function formatVerdictEvidence(
  { id }: AuditedRun,
  verdict: DecisiveVerdict,
  width: number,
): readonly string[] {
  const { rule, level, step, since, reason, advice, proof, evidence, after, spent } = verdict;
  const hidden = evidence.length - proof.length;
  return [
    truncateColumns(id, width),
    `  ${rule}: ${level} after step ${step}, stuck since step ${since}`,
    `  ${sanitizeOneLine(reason)}.`,
    `  advice: ${sanitizeOneLine(advice)}`,
    ...formatCallTable(proof, width),
    ...(hidden > 0 ? [`  and ${formatCount(hidden, 'more call like these', 'more calls like these')}`] : []),
    `  from step ${since} on: ${formatRunCost(spent)}; after the verdict: ${formatRunCost(after)}`,
  ];
}

const stepWidth = 6;
const minResultWidth = 20;

function formatCallTable(calls: readonly EvidenceCall[], width: number): readonly string[] {
  const toolWidth = Math.min(24, Math.max(4, ...calls.map(({ tool }) => tool.length)));
  const left = width - 2 - stepWidth - 2 - toolWidth - 2;
  const argsWidth = Math.max(10, Math.floor((left - 2) / 2));
  const resultWidth = Math.max(minResultWidth, left - 2 - argsWidth);
  const row = (step: string, tool: string, args: string, result: string): string =>
    `  ${formatCell(step, stepWidth, 'right')}  ${formatCell(tool, toolWidth)}  ${formatCell(args, argsWidth)}  ${truncateColumns(result, resultWidth)}`;
  return [
    row('step', 'tool', 'arguments', 'outcome'),
    ...calls.map(({ step, tool, args, result, error }) =>
      row(String(step), tool, args, error ? `error: ${result}` : result),
    ),
  ].map((line) => line.trimEnd());
}
