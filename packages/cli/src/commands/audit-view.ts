import type { TraceReadProblem } from '@pawl/runtime';
import type { AuditedRun } from './audit-result.ts';
import type { AuditTotals } from './audit-totals.ts';
import type { LineOutput } from './line-output.ts';

/** Reports runs as they are judged. */
export type AuditView = {
  run(run: AuditedRun): Promise<void>;
  problem(problem: TraceReadProblem): void;
  end(totals: AuditTotals): Promise<void>;
};

/** Writes one line per run, in the format that detector scoring reads. */
export function createVerdictsView(output: LineOutput, onProblem: AuditView['problem']): AuditView {
  return {
    run: ({ id, verdicts }) => output.write(JSON.stringify({ id, verdicts: verdicts.map(toVerdictJson) })),
    problem: onProblem,
    end: async () => undefined,
  };
}

/** Maximum number of problems in the JSON object; the totals count all of them. */
const maxJsonProblems = 1_000;

/** Writes one JSON object incrementally, so that no run stays in memory after it is written. */
export function createAuditJsonView(output: LineOutput): AuditView {
  const problems: TraceReadProblem[] = [];
  let runs = 0;
  return {
    async run(run) {
      await output.write(`${runs === 0 ? '{"runs":[\n' : ','}${JSON.stringify(toRunJson(run))}`);
      runs += 1;
    },
    problem(problem) {
      if (problems.length < maxJsonProblems) problems.push(problem);
    },
    async end(totals) {
      await output.write(`],"totals":${JSON.stringify(totals)},`);
      await output.write(`"problems":${JSON.stringify(problems)}}`);
    },
  };
}

function toRunJson({ cost, verdicts, decisiveVerdict, ...run }: AuditedRun): object {
  const { isStuck = false, ...finding } = decisiveVerdict ?? {};
  return {
    ...run,
    stuck: isStuck,
    ...cost,
    finding: decisiveVerdict === null ? null : finding,
    verdicts: verdicts.map(toVerdictJson),
  };
}

function toVerdictJson({ step, level, rule }: AuditedRun['verdicts'][number]): object {
  return { step, level, rule };
}
