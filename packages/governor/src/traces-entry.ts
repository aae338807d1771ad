export { describeUnknownFormat, detectTraceFormat, parseTrace, traceFormats } from './traces/parse-trace.ts';
export type {
  ParsedTrace,
  RecordedRun,
  RecordedStep,
  TraceFormat,
  TraceProblem,
} from './traces/trace-format.ts';
