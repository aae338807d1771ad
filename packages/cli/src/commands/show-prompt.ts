import { items, toArray, type Json, type Message } from '@pawl/core';
import type { ModelRequest } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { visible, visibleLine } from '../visible.ts';
import { asksOf, type Asked } from './show-request.ts';
import { outcomeText } from './show-timeline.ts';
import type { Walk } from './show-walk.ts';
import { manifestIn, type Manifest } from './manifest.ts';

/** What the model was sent the Nth time it was asked, as text or as one JSON object. */
export async function promptText(
  { walked }: Walk,
  number: number,
  { about, json }: { readonly about: Json; readonly json: boolean },
): Promise<string> {
  const manifest = manifestIn(about);
  let count = 0;
  for await (const each of walked) {
    for (const asked of asksOf(each, manifest)) {
      count += 1;
      if (count < number) continue;
      const found = { number, seq: each.seq, asked, manifest };
      return json ? JSON.stringify(asJson(found)) : asText(found);
    }
  }
  const times = count === 1 ? 'once' : `${count} times`;
  throw new UsageError(`The model was asked ${times} in this session; there is no prompt ${number}.`);
}

type Found = {
  readonly number: number;
  readonly seq: number;
  readonly asked: Asked;
  readonly manifest: Manifest;
};

function asJson({ number, seq, asked, manifest }: Found): object {
  const { conversation, ...rest } = asked.ask;
  const { request, attempt } = asked;
  const { missing } = manifest;
  return { type: 'prompt', number, seq, request, attempt, ...rest, messages: toArray(conversation), missing };
}

function asText({ number, seq, asked, manifest }: Found): string {
  const { ask, attempt } = asked;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return [
    `Prompt ${number}, sent after event ${seq}${again}`,
    ...notKnown(manifest),
    ...section('system', ask.system),
    ...[...items(ask.conversation)].flatMap(messageLines),
    ...section('tools', ask.tools.map(({ name }) => visibleLine(name)).join(', ')),
    ...lastSection(ask),
  ].join('\n');
}

function notKnown({ missing }: Manifest): readonly string[] {
  if (missing.length === 0) return [];
  const what = missing.map((each) => (each === 'prompt' ? 'the prompt' : 'the tools'));
  return [`Not on record, and left out here: ${what.join(' and ')} of that run. All else is as it was sent.`];
}

/** Where there are modes, the section on them stands last and has the advice in it. */
function lastSection({ state, advice }: ModelRequest): readonly string[] {
  return state === null ? section('advice', advice ?? '') : section('state', state);
}

function messageLines(message: Message): readonly string[] {
  switch (message.role) {
    case 'user':
      return section('user', message.text);
    case 'assistant': {
      const calls = message.calls.map(({ tool, args }) => `▸ ${tool} ${JSON.stringify(args)}`);
      return section('assistant', [message.text, ...calls].filter((part) => part !== '').join('\n'));
    }
    case 'tool':
      return section(`result of ${visibleLine(message.tool)}`, outcomeText(message.outcome));
    default:
      return message satisfies never;
  }
}

function section(title: string, text: string): readonly string[] {
  return text === '' ? [] : ['', `── ${title} ──`, visible(text)];
}
