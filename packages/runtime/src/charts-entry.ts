export { parseChart } from './charts/chart-schema.ts';
export { ChartFileError, readChartFile, type ChartFileErrorCode } from './charts/read-chart-file.ts';
export { toSvg } from './charts/to-svg.ts';
