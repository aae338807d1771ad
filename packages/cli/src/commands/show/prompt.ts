import { iterateItems, toItemArray, type Json, type ConversationMessage } from '@pawl/core';
import { formatOutcome } from '@pawl/core/projections';
import type { ModelRequest } from '@pawl/runtime';
import { UsageError } from '../../output/exit-codes.ts';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';
import {
  listModelRequests,
  type SentModelRequest,
  createManifestReader,
  type RunManifest,
} from '../../sessions/model-requests.ts';
import type { SessionReplay } from '../../sessions/session-replay.ts';
import { formatCount } from '../../output/format-number.ts';

/** Renders the model's Nth request, as text or as one JSON object. */
export async function renderPrompt(
  { walked }: SessionReplay,
  number: number,
  { metadata, json }: { readonly metadata: Json; readonly json: boolean },
): Promise<string> {
  const readManifest = createManifestReader(metadata);
  let count = 0;
  for await (const each of walked) {
    for (const sent of listModelRequests(each, readManifest)) {
      count += 1;
      if (count < number) continue;
      const prompt = { number, seq: each.seq, sent, manifest: readManifest(each.seq) };
      return json ? JSON.stringify(toPromptJson(prompt)) : formatPrompt(prompt);
    }
  }
  throw new UsageError(
    `The session has ${formatCount(count, 'model request')}; there is no prompt ${number}.`,
  );
}

type SentPrompt = {
  readonly number: number;
  readonly seq: number;
  readonly sent: SentModelRequest;
  readonly manifest: RunManifest;
};

function toPromptJson({ number, seq, sent, manifest }: SentPrompt): object {
  const { conversation, ...rest } = sent.ask;
  const { request, attempt } = sent;
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

function formatPrompt({ number, seq, sent, manifest }: SentPrompt): string {
  const { ask, attempt } = sent;
  const attemptText = attempt > 1 ? `, attempt ${attempt}` : '';
  return [
    `Prompt ${number}, sent after event ${seq}${attemptText}`,
    ...formatMissingParts(manifest),
    ...formatPromptSection('system', ask.system),
    ...[...iterateItems(ask.conversation)].flatMap(formatPromptMessage),
    ...formatPromptSection('tools', ask.tools.map(({ name }) => sanitizeOneLine(name)).join(', ')),
    ...formatFinalSection(ask),
  ].join('\n');
}

function formatMissingParts({ missing }: RunManifest): readonly string[] {
  if (missing.length === 0) return [];
  const labels = missing.map((each) => (each === 'prompt' ? 'the prompt' : 'the tools'));
  return [`Not recorded and omitted here: ${labels.join(' and ')} of that run. Everything else is as sent.`];
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
