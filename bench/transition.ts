import { readOptions } from './lib/options.ts';
import { aims } from './transition/aims.ts';
import { full, measure, quick } from './transition/measure.ts';
import { report } from './transition/report.ts';

const help = `Usage: node bench/transition.ts [--quick] [--json]

Times one agent turn of six events in Pawl's step, in XState, in robot3 and in a bare reducer,
and weighs idle sessions of each. bench/README.md says how to read the numbers.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

const options = readOptions(help);
if (options !== null) {
  const measured = measure(options.quick ? quick : full);
  const judged = aims(measured);
  console.log(
    options.json ? JSON.stringify({ ...measured, aims: judged }, null, 2) : report(measured, judged),
  );
}
