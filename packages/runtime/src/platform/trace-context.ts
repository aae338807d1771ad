import { AsyncLocalStorage } from 'node:async_hooks';

/** A position in a trace, in W3C Trace Context format: `00-TRACE-SPAN-FLAGS`. */
export type TraceContext = { readonly traceparent: string };

const contextStorage = new AsyncLocalStorage<TraceContext>();

/** Runs a function within a trace; commands and requests it starts propagate the trace context. */
export function runWithTraceContext<Value>(context: TraceContext, run: () => Value): Value {
  return contextStorage.run(context, run);
}

/** Returns undefined outside of a trace. */
export function getTraceContext(): TraceContext | undefined {
  return contextStorage.getStore();
}

/** Returns the trace context as environment variables for a command, under the conventional name `TRACEPARENT`. */
export function getTraceEnvironment(): { readonly [name: string]: string } {
  const context = contextStorage.getStore();
  return context === undefined ? {} : { TRACEPARENT: context.traceparent };
}
