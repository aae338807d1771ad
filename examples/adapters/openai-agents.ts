import { Agent, MaxTurnsExceededError, Runner, setTracingDisabled, tool, type Model } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { createAgentsGovernor } from '@pawl/adapters/openai-agents';
import { z } from 'zod';
import { compareGoverned, exampleTools, type AgentScript } from './scripts.ts';

setTracingDisabled(true);

await compareGoverned(async (script, isGoverned) => {
  const model = createScriptedAgentsModel(script);
  const own = [
    tool({
      name: 'read',
      description: 'Reads a file',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => exampleTools.read(path),
    }),
    tool({
      name: 'run',
      description: 'Runs a command',
      parameters: z.object({ command: z.string() }),
      execute: ({ command }) => exampleTools.run(command),
    }),
  ];
  const governor = createAgentsGovernor();
  const agent = new Agent({
    name: 'Assistant',
    model: isGoverned ? governor.model(model) : model,
    tools: isGoverned ? governor.tools(own) : own,
  });
  try {
    const { finalOutput = '' } = await new Runner().run(agent, 'When do we ship?', { maxTurns: 20 });
    return { steps: model.calls.length, text: finalOutput };
  } catch (error) {
    if (!(error instanceof MaxTurnsExceededError)) throw error;
    return { steps: model.calls.length, text: '' };
  }
});

/** A model that follows a script. */
function createScriptedAgentsModel(script: AgentScript): ScriptedModel & Model {
  const steps = Array.from({ length: 30 }, (_, asked) =>
    modelResponder(({ request }) => {
      const move = script(asked, request.tools.length > 0);
      return 'text' in move
        ? [assistantMessage(move.text)]
        : move.calls.map(({ tool: name, args }, index) =>
            functionCall(name, args, { callId: `call_${asked}_${index}` }),
          );
    }),
  );
  return new ScriptedModel(steps);
}
