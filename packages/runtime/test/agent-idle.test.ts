import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../src/agent/agent.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { defineTool } from '../src/tools/tool.ts';

const calls = [{ id: 'a', tool: 'act', args: {} }];
const isPaused: NonNullable<Parameters<Agent['waitUntilIdle']>[0]> = ({ turn }) => turn.status === 'paused';

function createPausableAgent(): { agent: Agent; started: Promise<void>; finish: () => void } {
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const act = defineTool({
    name: 'act',
    description: 'Acts.',
    parameters: z.object({}),
    async run() {
      started.resolve();
      await finished.promise;
      return { ok: true, output: 'acted' };
    },
  });
  const agent = new Agent({ model: createScriptedModel([{ calls }, { text: 'Done.' }]), tools: [act] });
  return { agent, started: started.promise, finish: () => finished.resolve() };
}

describe('waiting until an agent is idle', () => {
  it('ends at a resting state only after the running work, whose result is kept', async () => {
    const { agent, started, finish } = createPausableAgent();
    void agent.sendMessage('go');
    await started;
    await agent.post({ type: 'pause-requested', reason: 'lunch' });
    const events: string[] = [];
    const idle = agent.waitUntilIdle(isPaused).then(() => events.push('idle'));
    await agent.post({ type: 'steered', text: 'be quick' });
    events.push('steered');
    finish();
    await idle;
    expect(events).toEqual(['steered', 'idle']);
    expect(JSON.stringify(agent.session.turn)).toContain('acted');
  });

  it('continues through a resting state that the caller does not name', async () => {
    const { agent, started, finish } = createPausableAgent();
    void agent.sendMessage('go');
    await started;
    await agent.post({ type: 'pause-requested', reason: 'lunch' });
    const idle = agent.waitUntilIdle();
    finish();
    await agent.waitUntilIdle(isPaused);
    await agent.post({ type: 'resume-requested' });
    expect((await idle).turn.status).toBe('waitingForUser');
  });
});
