import { readBenchOptions } from './lib/options.ts';
import { listTransitionAims } from './transition/aims.ts';
import { fullPlan, measureTransition, quickPlan } from './transition/measure.ts';
import { formatTransitionReport } from './transition/report.ts';

const help = `Usage: node bench/transition.ts [--quick] [--json]

Times one agent turn of six events in Pawl's step, in XState, in robot3 and in a bare reducer,
and weighs idle sessions of each. bench/README.md says how to read the numbers.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

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
