import { anthropicWireFormat } from './anthropic.ts';
import { openaiChatWireFormat } from './openai-chat.ts';
import { openaiResponsesWireFormat } from './openai-responses.ts';
import type { WireFormat } from './wire-format.ts';

const wireFormats: readonly WireFormat[] = [
  openaiChatWireFormat,
  openaiResponsesWireFormat,
  anthropicWireFormat,
];

/** Returns the wire format of a request; null for other routes. */
export function findWireFormat(method: string | undefined, url: string): WireFormat | null {
  if (method !== 'POST') return null;
  const [path = ''] = url.split('?', 1);
  return wireFormats.find(({ matchesPath }) => matchesPath(path)) ?? null;
}
