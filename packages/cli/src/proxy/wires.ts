import { anthropic } from './anthropic.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Wire } from './wire.ts';

const wires: readonly Wire[] = [openaiChat, openaiResponses, anthropic];

/** The wire of a request; null for routes that are nothing to us. */
export function wireAt(method: string | undefined, url: string): Wire | null {
  if (method !== 'POST') return null;
  const [path = ''] = url.split('?', 1);
  return wires.find(({ isAt }) => isAt(path)) ?? null;
}
