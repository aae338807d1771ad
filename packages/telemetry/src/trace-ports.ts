import type { Session } from '@pawl/core';
import { listOpenSpans, type SpanKind } from '@pawl/core/projections';
import type { AgentOptions, Model, Tool } from '@pawl/runtime';
import { runWithTraceContext } from '@pawl/runtime/logging';
import { formatTraceparent, getToolSpanKey } from './span-writer.ts';

/** The ports through which a session makes external requests. */
export type TracedPorts = Pick<AgentOptions, 'model' | 'tools' | 'hooks'>;

/**
 * Wraps the ports so that their requests (HTTP models, MCP servers, commands) carry the trace context of the current
 * span.
 */
export function withSpanContext<Ports extends TracedPorts>(ports: Ports, session: () => Session): Ports {
  const { model, tools, hooks } = ports;
  const { id } = session();
  const findOpenKey = (kind: SpanKind): string =>
    listOpenSpans(session()).find((span) => span.kind === kind)?.key ?? kind;
  const run = <Value>(key: string, task: () => Value): Value =>
    runWithTraceContext({ traceparent: formatTraceparent(id, key) }, task);
  return {
    ...ports,
    model: traceModel(model, () => findOpenKey('model'), run),
    tools: tools.map((tool) => traceTool(tool, run)),
    ...(hooks !== undefined && {
      hooks: ((completed, signal) =>
        run(findOpenKey('hooks'), () => hooks(completed, signal))) satisfies NonNullable<
        TracedPorts['hooks']
      >,
    }),
  };
}

type RunInSpan = <Value>(key: string, task: () => Value) => Value;

function traceTool(tool: Tool, run: RunInSpan): Tool {
  return {
    ...tool,
    // A getter, because an MCP server may change the description of its tool.
    get description() {
      return tool.description;
    },
    run: (args, context) =>
      context.execution === undefined
        ? tool.run(args, context)
        : run(getToolSpanKey(context.execution.id), () => tool.run(args, context)),
  };
}

/** A generator runs in the context of its consumer, so each chunk is requested within the span. */
function traceModel(model: Model, key: () => string, run: RunInSpan): Model {
  return {
    ...model,
    stream(request, signal) {
      // Resolved once, because the session may have moved on by the last chunk.
      const span = key();
      const chunks = run(span, () => model.stream(request, signal)[Symbol.asyncIterator]());
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => run(span, () => chunks.next()),
          return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
        }),
      };
    },
  };
}
