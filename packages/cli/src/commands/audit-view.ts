import type { TraceReadProblem } from '@pawl/runtime';
import type { AuditedRun } from './audit-result.ts';
import type { AuditTotals } from './audit-totals.ts';
import type { LineOutput } from './line-output.ts';

/** Tells about runs as they are judged. */
export type AuditView = {
  run(run: AuditedRun): Promise<void>;
  problem(problem: TraceReadProblem): void;
  end(totals: AuditTotals): Promise<void>;
};

/** One line a run, as the scoring of detectors reads it. */
export function verdictsView(output: LineOutput, tellProblem: AuditView['problem']): AuditView {
  return {
    run: ({ id, verdicts }) => output.write(JSON.stringify({ id, verdicts: verdicts.map(shortVerdict) })),
    problem: tellProblem,
    end: async () => undefined,
  };
}

/** How many problems the object holds; the totals have the number of all. */
const problemsMax = 1_000;

/** One object, written piece by piece: nothing of a run is kept once it is written. */
export function jsonView(output: LineOutput): AuditView {
  const problems: TraceReadProblem[] = [];
  let runs = 0;
  return {
    async run(run) {
      await output.write(`${runs === 0 ? '{"runs":[\n' : ','}${JSON.stringify(runObject(run))}`);
      runs += 1;
    },
    problem(problem) {
      if (problems.length < problemsMax) problems.push(problem);
    },
    async end(totals) {
      await output.write(`],"totals":${JSON.stringify(totals)},`);
      await output.write(`"problems":${JSON.stringify(problems)}}`);
    },
  };
}

function runObject({ cost, verdicts, finding, ...run }: AuditedRun): object {
  const { isStuck = false, ...found } = finding ?? {};
  return {
    ...run,
    stuck: isStuck,
    ...cost,
    finding: finding === null ? null : found,
    verdicts: verdicts.map(shortVerdict),
  };
}

function shortVerdict({ step, level, rule }: AuditedRun['verdicts'][number]): object {
  return { step, level, rule };
}
