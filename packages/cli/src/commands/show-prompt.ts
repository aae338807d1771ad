import { iterateItems, toItemArray, type Json, type ConversationMessage } from '@pawl/core';
import type { ModelRequest } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { sanitizeText, sanitizeOneLine } from '../sanitize-text.ts';
import { listModelRequests, type SentModelRequest } from './show-request.ts';
import { formatOutcome } from './session-timeline.ts';
import type { SessionReplay } from './session-replay.ts';
import { readRunManifest, type RunManifest } from './manifest.ts';

/** Renders the model's Nth request, as text or as one JSON object. */
export async function renderPrompt(
  { walked }: SessionReplay,
  number: number,
  { about, json }: { readonly about: Json; readonly json: boolean },
): Promise<string> {
  const manifest = readRunManifest(about);
  let count = 0;
  for await (const each of walked) {
    for (const asked of listModelRequests(each, manifest)) {
      count += 1;
      if (count < number) continue;
      const found = { number, seq: each.seq, asked, manifest };
      return json ? JSON.stringify(toPromptJson(found)) : formatPrompt(found);
    }
  }
  const times = count === 1 ? 'once' : `${count} times`;
  throw new UsageError(`The model was asked ${times} in this session; there is no prompt ${number}.`);
}

type SentPrompt = {
  readonly number: number;
  readonly seq: number;
  readonly asked: SentModelRequest;
  readonly manifest: RunManifest;
};

function toPromptJson({ number, seq, asked, manifest }: SentPrompt): object {
  const { conversation, ...rest } = asked.ask;
  const { request, attempt } = asked;
  const { missing } = manifest;
  return {
    type: 'prompt',
    number,
    seq,
    request,
    attempt,
    ...rest,
    messages: toItemArray(conversation),
    missing,
  };
}

function formatPrompt({ number, seq, asked, manifest }: SentPrompt): string {
  const { ask, attempt } = asked;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return [
    `Prompt ${number}, sent after event ${seq}${again}`,
    ...formatMissingParts(manifest),
    ...formatPromptSection('system', ask.system),
    ...[...iterateItems(ask.conversation)].flatMap(formatPromptMessage),
    ...formatPromptSection('tools', ask.tools.map(({ name }) => sanitizeOneLine(name)).join(', ')),
    ...formatFinalSection(ask),
  ].join('\n');
}

function formatMissingParts({ missing }: RunManifest): readonly string[] {
  if (missing.length === 0) return [];
  const what = missing.map((each) => (each === 'prompt' ? 'the prompt' : 'the tools'));
  return [`Not on record, and left out here: ${what.join(' and ')} of that run. All else is as it was sent.`];
}

/** With modes, the mode section comes last and includes the advice. */
function formatFinalSection({ state, advice }: ModelRequest): readonly string[] {
  return state === null ? formatPromptSection('advice', advice ?? '') : formatPromptSection('state', state);
}

function formatPromptMessage(message: ConversationMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return formatPromptSection('user', message.text);
    case 'assistant': {
      const calls = message.calls.map(({ tool, args }) => `▸ ${tool} ${JSON.stringify(args)}`);
      return formatPromptSection(
        'assistant',
        [message.text, ...calls].filter((part) => part !== '').join('\n'),
      );
    }
    case 'tool':
      return formatPromptSection(
        `result of ${sanitizeOneLine(message.tool)}`,
        formatOutcome(message.outcome),
      );
    default:
      return message satisfies never;
  }
}

function formatPromptSection(title: string, text: string): readonly string[] {
  return text === '' ? [] : ['', `── ${title} ──`, sanitizeText(text)];
}
