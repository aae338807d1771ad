import type { Json } from '../json.ts';
import { get, isObject, listOf, stringOf, typeOf } from '../json-fields.ts';

/**
 * The text of a message's content: a string, or a list of parts of which some are text. A part that is none (a picture,
 * a file) leaves its type in brackets, so that two contents that differ in it do not read the same.
 */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const parts = listOf(content);
  if (parts !== undefined) return parts.map(partText).filter(isFilled).join('\n');
  return isObject(content) ? partText(content) : '';
}

/** A tool's answer: its text if it is one, and otherwise the value as it is. */
export function resultOf(content: Json | undefined): Json | undefined {
  const parts = listOf(content);
  if (parts !== undefined && parts.length > 0 && parts.every(isPart)) return contentText(parts);
  return isPart(content) ? partText(content) : content;
}

function partText(part: Json): string {
  if (typeof part === 'string') return part;
  for (const name of ['text', 'content', 'refusal']) {
    const text = stringOf(get(part, name));
    if (text !== undefined) return text;
  }
  const type = stringOf(get(part, 'type'));
  return type === undefined ? '' : `[${type}]`;
}

function isPart(value: Json | undefined): value is Json {
  return typeof get(value, 'type') === 'string' && (typeof get(value, 'text') === 'string' || isMedia(value));
}

function isMedia(part: Json | undefined): boolean {
  return /image|audio|file|document/.test(typeOf(part));
}

function isFilled(text: string): boolean {
  return text !== '';
}
