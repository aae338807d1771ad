import { items, toArray, type Json, type Message } from '@pawl/core';
import type { ModelRequest } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { visible, visibleLine } from '../visible.ts';
import { asksOf, worldKnown, type Asked, type KnownWorld } from './show-request.ts';
import { outcomeText } from './show-timeline.ts';
import type { Walk } from './show-walk.ts';

/** What the model was sent the Nth time it was asked, as text or as one JSON object. */
export async function promptText(
  { walked }: Walk,
  number: number,
  { about, json }: { readonly about: Json; readonly json: boolean },
): Promise<string> {
  const world = worldKnown(about);
  let count = 0;
  for await (const each of walked) {
    for (const asked of asksOf(each, world)) {
      count += 1;
      if (count < number) continue;
      const found = { number, seq: each.seq, asked, world };
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
  readonly world: KnownWorld;
};

function asJson({ number, seq, asked, world }: Found): object {
  const { conversation, ...rest } = asked.ask;
  const { request, attempt } = asked;
  const { missing } = world;
  return { type: 'prompt', number, seq, request, attempt, ...rest, messages: toArray(conversation), missing };
}

function asText({ number, seq, asked, world }: Found): string {
  const { ask, attempt } = asked;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return [
    `Prompt ${number}, sent after event ${seq}${again}`,
    ...notKnown(world),
    ...section('system', ask.system),
    ...[...items(ask.conversation)].flatMap(messageLines),
    ...section('tools', ask.tools.map(({ name }) => visibleLine(name)).join(', ')),
    ...lastSection(ask),
  ].join('\n');
}

function notKnown({ missing }: KnownWorld): readonly string[] {
  if (missing.length === 0) return [];
  const what = missing.map((each) => (each === 'prompt' ? 'the prompt it began with' : 'its tools'));
  return [
    `Of that run, ${what.join(' and ')} are not on record: they are left out here, all else is as it was sent.`,
  ];
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
