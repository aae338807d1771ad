import { checkChart } from './check-chart.ts';
import type { ModeChartInput } from './chart-input.ts';
import type { ModeChart } from './mode-chart.ts';
import { readShape } from './read-shape.ts';

/** A chart from its description. The compiler checks the names in it; the rest is checked here, as for `readChart`. */
export function defineChart<const Name extends string>(input: ModeChartInput<Name>): ModeChart<Name> {
  // Every name of the result is one of the input, and those are of this type.
  return readChart(input) as ModeChart<Name>;
}

/** A chart from whatever came out of a file. Throws one `ChartError` that says where it is wrong. */
export function readChart(value: unknown): ModeChart {
  const chart = readShape(value);
  checkChart(chart);
  return chart;
}
