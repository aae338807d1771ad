export { answerSchema, buildEventsJsonSchema } from './schema/json-schema.ts';
export { eventExamples } from './schema/events.ts';
export { parseEvent } from './schema/parse-event.ts';
export type { ParsedEvent } from './schema/parse-event.ts';
export { printAction, printState } from './schema/printed.ts';
export type { PrintedAction, PrintedState } from './schema/printed.ts';
