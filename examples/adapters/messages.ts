import { governMessages, refusalOf, withAdvice } from '@pawl/adapters/messages';
import { compare, tools, type Move, type Script } from './scripts.ts';

type Call = {
  readonly id: string;
  readonly function: { readonly name: 'read' | 'run'; readonly arguments: string };
};
type Message = {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
};

// A loop of your own over messages as OpenAI has them: five lines of it have to do with the governor.
await compare(async (script, isGoverned) => {
  const messages: Message[] = [{ role: 'user', content: 'When do we ship?' }];
  for (let steps = 1; steps <= 20; steps += 1) {
    const judgement = governMessages(isGoverned ? messages : []);
    const sent = withAdvice(messages, judgement);
    const reply = complete(script, sent, !judgement.dropTools);
    messages.push(reply);
    for (const { id, function: called } of reply.tool_calls ?? []) {
      const args = JSON.parse(called.arguments) as Readonly<Record<string, string>>;
      const content = refusalOf(judgement, { tool: called.name, args }) ?? run(called.name, args);
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
    if (reply.tool_calls === undefined) return { steps, text: reply.content ?? '' };
  }
  return { steps: 20, text: '' };
});

function run(name: 'read' | 'run', { path = '', command = '' }: Readonly<Record<string, string>>): string {
  try {
    return name === 'read' ? tools.read(path) : tools.run(command);
  } catch (error) {
    return String(error);
  }
}

/** Stands for a provider: it is sent messages and says whether tools may be called. */
function complete(script: Script, sent: readonly Message[], hasTools: boolean): Message {
  const asked = sent.filter(({ role }) => role === 'assistant').length;
  const move: Move = script(asked, hasTools);
  if ('text' in move) return { role: 'assistant', content: move.text };
  const calls = move.calls.map(({ tool, args }, index) => ({
    id: `call_${asked}_${index}`,
    function: { name: tool, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}
