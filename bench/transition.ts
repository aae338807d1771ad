import { readBenchOptions } from './lib/options.ts';
import { listTransitionAims } from './transition/aims.ts';
import { fullPlan, measureTransition, quickPlan } from './transition/measure.ts';
import { formatTransitionReport } from './transition/report.ts';

const help = `Usage: node bench/transition.ts [--quick] [--json]

Times one agent turn of six events in Pawl's step, in XState, in robot3 and in a bare reducer,
and measures the memory of idle sessions. bench/README.md explains the numbers.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const options = readBenchOptions(help);
if (options !== null) {
  const measured = measureTransition(options.quick ? quickPlan : fullPlan);
  const judged = listTransitionAims(measured);
  console.log(
    options.json
      ? JSON.stringify({ ...measured, aims: judged }, null, 2)
      : formatTransitionReport(measured, judged),
  );
}
