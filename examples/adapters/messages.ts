import { governMessages, findRefusalReason, appendAdvice } from '@pawl/adapters/messages';
import { compareGoverned, exampleTools, type ScriptMove, type AgentScript } from './scripts.ts';

type ChatToolCall = {
  readonly id: string;
  readonly function: { readonly name: 'read' | 'run'; readonly arguments: string };
};
type ChatMessage = {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
};

// Your own loop over messages in OpenAI's format: five of its lines belong to the governor.
await compareGoverned(async (script, isGoverned) => {
  const messages: ChatMessage[] = [{ role: 'user', content: 'When do we ship?' }];
  for (let steps = 1; steps <= 20; steps += 1) {
    const decision = governMessages(isGoverned ? messages : []);
    const sent = appendAdvice(messages, decision);
    const reply = completeChat(script, sent, !decision.dropTools);
    messages.push(reply);
    for (const { id, function: called } of reply.tool_calls ?? []) {
      const args = JSON.parse(called.arguments) as Readonly<Record<string, string>>;
      const content =
        findRefusalReason(decision, { tool: called.name, args }) ?? runExampleTool(called.name, args);
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
    if (reply.tool_calls === undefined) return { steps, text: reply.content ?? '' };
  }
  return { steps: 20, text: '' };
});

function runExampleTool(
  name: 'read' | 'run',
  { path = '', command = '' }: Readonly<Record<string, string>>,
): string {
  try {
    return name === 'read' ? exampleTools.read(path) : exampleTools.run(command);
  } catch (error) {
    return String(error);
  }
}

/** Stands in for a provider: it receives messages and whether tools may be called. */
function completeChat(script: AgentScript, sent: readonly ChatMessage[], hasTools: boolean): ChatMessage {
  const asked = sent.filter(({ role }) => role === 'assistant').length;
  const move: ScriptMove = script(asked, hasTools);
  if ('text' in move) return { role: 'assistant', content: move.text };
  const calls = move.calls.map(({ tool, args }, index) => ({
    id: `call_${asked}_${index}`,
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}
