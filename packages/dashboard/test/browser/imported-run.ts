/** A run of another agent that reads the same file repeatedly. */
export const loopText: string = JSON.stringify([
  { role: 'user', content: 'find the bug <img src=x onerror=alert(1)>' },
  ...Array.from({ length: 6 }, (_, index) => [
    { role: 'assistant', content: null, tool_calls: [createReadCall(`c${index}`)] },
    { role: 'tool', tool_call_id: `c${index}`, content: 'nothing new' },
  ]).flat(),
  { role: 'assistant', content: 'I give up.' },
]);

export const loopFile = {
  name: 'loop.json',
  mimeType: 'application/json',
  buffer: Buffer.from(loopText),
} as const;

function createReadCall(id: string): object {
  return { id, type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } };
}
