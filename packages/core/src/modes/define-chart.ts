import { checkChart } from './check-chart.ts';
import type { ModeChartInput } from './chart-input.ts';
import type { ModeChart } from './mode-chart.ts';
import { parseChartShape } from './parse-chart-shape.ts';

/**
 * Creates a chart from its definition. The compiler checks the names; everything else is validated here, as in
 * `parseChart`.
 */
export function defineChart<const Name extends string>(input: ModeChartInput<Name>): ModeChart<Name> {
  // Every name in the result comes from the input, so it has this type.
  return parseChart(input) as ModeChart<Name>;
}

/** Parses a chart from untrusted input. Throws one `ChartError` that says what is wrong and where. */
export function parseChart(value: unknown): ModeChart {
  const chart = parseChartShape(value);
  checkChart(chart);
  return chart;
}
