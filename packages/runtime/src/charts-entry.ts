export { ChartFileError } from './charts/chart-file-error.ts';
export type { ChartFileErrorCode } from './charts/chart-file-error.ts';
export { readChartFile } from './charts/read-chart-file.ts';
export { toSvg } from './charts/to-svg.ts';
