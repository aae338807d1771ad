import type { Json } from '@pawl/governor';
import { toJsonFields, getStringField } from '../json-fields.ts';

/** Returns the text of a message's content: a string, or blocks of which some are text. */
export function joinTextBlocks(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: Json) => getStringField(toJsonFields(block) ?? {}, 'text')).join('');
}
