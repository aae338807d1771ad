import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import { createScriptedAiSdkModel } from '../../../examples/adapters/ai-sdk-model.ts';
import type { AgentScript } from '../../../examples/adapters/scripts.ts';

type ScriptedModel = ReturnType<typeof createScriptedAiSdkModel>;
type StreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/**
 * The earlier major versions of the AI SDK that the adapter supports, each with its own model interface. Of version 5, the
 * first release is installed.
 */
export const earlierAiSdks = [
  { version: 5, ai: ai5, createModel: createModelV2, ToolLoopAgent: ai5.Experimental_Agent },
  // Both versions have the same functions; only the types of their models differ.
  {
    version: 6,
    ai: ai6 as object as typeof ai5,
    createModel: createModelV3,
    ToolLoopAgent: ai6.ToolLoopAgent,
  },
] as const;

type EarlierModel = { readonly model: ai5.LanguageModel; readonly requests: ScriptedModel };

function createModelV3(script: AgentScript): EarlierModel {
  const requests = createScriptedAiSdkModel(script);
  return { requests, model: createModel('v3', requests) };
}

/** In version 2, the reason to finish is a string and the token counts are numbers. */
function createModelV2(script: AgentScript): EarlierModel {
  const requests = createScriptedAiSdkModel(script);
  const doGenerate: ScriptedModel['doGenerate'] = async (request) =>
    flattenEnding(await requests.doGenerate(request));
  const doStream: ScriptedModel['doStream'] = async (request) => {
    const { stream } = await requests.doStream(request);
    const transform = new TransformStream<StreamPart, StreamPart>({
      transform: (part, controller) =>
        controller.enqueue(part.type === 'finish' ? flattenEnding(part) : part),
    });
    return { stream: stream.pipeThrough(transform) };
  };
  return { requests, model: createModel('v2', { doGenerate, doStream }) };
}

type StepEnding = Pick<Awaited<ReturnType<ScriptedModel['doGenerate']>>, 'finishReason' | 'usage'>;

function flattenEnding<Ending extends StepEnding>(ending: Ending): Ending {
  const { finishReason, usage } = ending;
  const [inputTokens = 0, outputTokens = 0] = [usage.inputTokens.total, usage.outputTokens.total];
  return {
    ...ending,
    finishReason: finishReason.unified,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  };
}

function createModel(
  specificationVersion: 'v2' | 'v3',
  { doGenerate, doStream }: Pick<ScriptedModel, 'doGenerate' | 'doStream'>,
): ai5.LanguageModel {
  const model = {
    specificationVersion,
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate,
    doStream,
  };
  return model as object as ai5.LanguageModel;
}
