import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { exampleTools as functions, type AgentScript } from './scripts.ts';

export const langChainTools = [
  tool(({ path }) => functions.read(path), {
    name: 'read',
    description: 'Reads a file',
    schema: z.object({ path: z.string() }),
  }),
  tool(({ command }) => functions.run(command), {
    name: 'run',
    description: 'Runs a command',
    schema: z.object({ command: z.string() }),
  }),
];

/** A chat model that follows a script. */
export class ScriptedChatModel extends BaseChatModel {
  asked = 0;
  /** The messages it received, per request. */
  readonly sent: (readonly BaseMessage[])[] = [];
  readonly #script: AgentScript;

  constructor(script: AgentScript) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(bound: readonly unknown[]): ReturnType<BaseChatModel['withConfig']> {
    return this.withConfig({ tools: bound } as object);
  }

  async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    this.sent.push(messages);
    const { tools: bound = [] } = options as { readonly tools?: readonly unknown[] };
    const move = this.#script(this.asked, bound.length > 0);
    this.asked += 1;
    const message =
      'text' in move
        ? new AIMessage(move.text)
        : new AIMessage({
            content: '',
            tool_calls: move.calls.map(({ tool: name, args }, index) => ({
              id: `call_${this.asked}_${index}`,
              name,
              args: { ...args },
            })),
          });
    return { generations: [{ text: message.text, message }] };
  }
}
