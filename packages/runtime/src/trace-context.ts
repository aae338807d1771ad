import { AsyncLocalStorage } from 'node:async_hooks';

/** Where in a trace something happens, as W3C Trace Context writes it: `00-TRACE-SPAN-FLAGS`. */
export type TraceContext = { readonly traceparent: string };

const contexts = new AsyncLocalStorage<TraceContext>();

/** Runs something as part of a trace: what it starts, sends and asks for says so to whoever receives it. */
export function withTraceContext<Value>(context: TraceContext, run: () => Value): Value {
  return contexts.run(context, run);
}

/** Undefined where nobody traces. */
export function traceContext(): TraceContext | undefined {
  return contexts.getStore();
}

/** The same as environment variables for a command: programs that trace look for the variable of this name. */
export function traceEnvironment(): { readonly [name: string]: string } {
  const context = contexts.getStore();
  return context === undefined ? {} : { TRACEPARENT: context.traceparent };
}
