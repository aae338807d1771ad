import type { Model, ModelResponse } from '@pawl/runtime';

/** What the provider said about the latest response of a model. The session's log does not contain it. */
export type ModelResponseObserver = {
  wrap(model: Model): Model;
  /** Empty if the latest request got no response, or the provider said nothing about it. */
  readonly latest: () => ModelResponse;
};

export function createModelResponseObserver(): ModelResponseObserver {
  let latest: { response: ModelResponse } = { response: {} };
  return {
    wrap: (model) => ({
      ...model,
      async *stream(request, signal) {
        // An aborted request may still answer after the next one has started.
        const own: typeof latest = { response: {} };
        latest = own;
        for await (const chunk of model.stream(request, signal)) {
          if (chunk.type === 'reply' || chunk.type === 'failure') own.response = chunk.response ?? {};
          yield chunk;
        }
      },
    }),
    latest: () => latest.response,
  };
}
