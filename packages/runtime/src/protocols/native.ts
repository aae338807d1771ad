import type { Outcome, RequestedCall, ToolMessage } from '@pawl/core';
import { readCall } from './arguments.ts';
import type { Codec, ProtocolContext } from './codec.ts';
import { nothingSaid, settle, type ModelDecision, type Problem, type Reply } from './decision.ts';
import { createJsonReader } from './json-read.ts';
import { sampleArguments } from './parameters.ts';
import { withoutReasoning } from './reasoning.ts';

/** Calls come apart from the text, from a provider that knows tools. Text without a call is the answer. */
export const nativeCodec: Codec = {
  name: 'native',
  instructions({ tools }) {
    const answer = 'When the work is done, or cannot be done, reply with the answer as plain text.';
    return tools.length === 0 ? answer : `Use the tools you are given, through tool calls. ${answer}`;
  },
  example({ tools: [tool] }) {
    if (tool === undefined) return 'The answer, as plain text.';
    return `A call of ${tool.name} with the arguments ${JSON.stringify(sampleArguments(tool))}`;
  },
  decode,
  encode: ({ text, calls, answer }) => ({ text: answer ?? text, calls }),
  observe: (results) => results.map(outcomeText).join('\n\n'),
};

function decode(reply: Reply, { callsMax }: ProtocolContext): ModelDecision {
  const reader = createJsonReader();
  const { think, rest } = withoutReasoning(reply.text);
  const text = rest.trim();
  const calls: RequestedCall[] = [];
  const problems: Problem[] = [];
  for (const [index, asked] of reply.calls.entries()) {
    const { call, problem } = readCall(asked, `call ${index + 1} of ${reply.calls.length}`, reader);
    if (problem !== undefined) problems.push(problem);
    else calls.push({ ...asked, ...call });
  }
  const answer = reply.calls.length === 0 && text !== '' ? text : null;
  const said = { ...nothingSaid, text, calls, answer, logs: { ...nothingSaid.logs, think } };
  return settle({ said, problems, isTraced: reply.calls.length > 0, callsMax });
}

function outcomeText({ outcome }: ToolMessage): string {
  return resultText(outcome);
}

/** What a tool gave, as text: what it put out, or `Error: ` and why. */
export function resultText(outcome: Outcome): string {
  if (!outcome.ok) return `Error: ${outcome.error.message}`;
  return typeof outcome.output === 'string' ? outcome.output : JSON.stringify(outcome.output);
}
