import type { Session } from '@pawl/core';
import { withTraceContext, type AgentOptions, type Model, type Tool } from '@pawl/runtime';
import { traceparentOf } from './ids.ts';
import { toolKey, workIn, type WorkKind } from './work.ts';

/** What goes out into the world from a session. */
export type Means = Pick<AgentOptions, 'model' | 'tools' | 'hooks'>;

/** The same, but whoever is asked (HTTP models, MCP servers, commands) is told which span it is part of. */
export function within<Given extends Means>(means: Given, session: () => Session): Given {
  const { model, tools, hooks } = means;
  const { id } = session();
  const keyOf = (kind: WorkKind): string => workIn(session()).find((work) => work.kind === kind)?.key ?? kind;
  const run = <Value>(key: string, piece: () => Value): Value =>
    withTraceContext({ traceparent: traceparentOf(id, key) }, piece);
  return {
    ...means,
    model: tracedModel(model, () => keyOf('model'), run),
    tools: tools.map((tool) => tracedTool(tool, run)),
    ...(hooks !== undefined && {
      hooks: ((completed, signal) =>
        run(keyOf('hooks'), () => hooks(completed, signal))) satisfies NonNullable<Means['hooks']>,
    }),
  };
}

type Run = <Value>(key: string, piece: () => Value) => Value;

function tracedTool(tool: Tool, run: Run): Tool {
  return {
    ...tool,
    // The tool of an MCP server may be described differently tomorrow.
    get description() {
      return tool.description;
    },
    run: (args, context) =>
      context.execution === undefined
        ? tool.run(args, context)
        : run(toolKey(context.execution.id), () => tool.run(args, context)),
  };
}

/** A generator runs on behalf of whoever asks it for the next piece, so each is asked for within the span. */
function tracedModel(model: Model, key: () => string, run: Run): Model {
  return {
    ...model,
    stream(request, signal) {
      // Looked up once: when the last piece is there, the session may be elsewhere.
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
