import type { Json } from '../json.ts';
import { getJsonPath, isJsonObject, toOptionalList, toOptionalString, getTypeName } from '../json-fields.ts';

/**
 * Returns the text of a message's content: a string, or a list of parts. A part that is not text (an image, a file) is
 * represented by its type in brackets, so that contents that differ in it do not read the same.
 */
export function getContentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const parts = toOptionalList(content);
  if (parts !== undefined) return parts.map(getPartText).filter(isNonEmptyText).join('\n');
  return isJsonObject(content) ? getPartText(content) : '';
}

/** Returns a tool result as text if it consists of text parts, otherwise unchanged. */
export function getResultContent(content: Json | undefined): Json | undefined {
  const parts = toOptionalList(content);
  if (parts !== undefined && parts.length > 0 && parts.every(isContentPart)) return getContentText(parts);
  return isContentPart(content) ? getPartText(content) : content;
}

function getPartText(part: Json): string {
  if (typeof part === 'string') return part;
  for (const name of ['text', 'content', 'refusal']) {
    const text = toOptionalString(getJsonPath(part, name));
    if (text !== undefined) return text;
  }
  const type = toOptionalString(getJsonPath(part, 'type'));
  return type === undefined ? '' : `[${type}]`;
}

function isContentPart(value: Json | undefined): value is Json {
  return (
    typeof getJsonPath(value, 'type') === 'string' &&
    (typeof getJsonPath(value, 'text') === 'string' || isMediaPart(value))
  );
}

function isMediaPart(part: Json | undefined): boolean {
  return /image|audio|file|document/.test(getTypeName(part));
}

function isNonEmptyText(text: string): boolean {
  return text !== '';
}
