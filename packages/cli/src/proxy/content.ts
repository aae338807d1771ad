import type { Json } from '@pawl/core';
import { fieldsOf, textIn } from '../json-fields.ts';

/** The text of a message's content: a text, or blocks of which some are text. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: Json) => textIn(fieldsOf(block) ?? {}, 'text')).join('');
}
