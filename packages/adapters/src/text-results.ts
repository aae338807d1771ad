import type { Json } from '@pawl/core';

/*
 * Cline sends the results of calls as text in the user's name, because not every model supports results: a header such
 * as "[read_file for 'a.txt'] Result:", then the output. Where the API requires results, it adds placeholders.
 */

const resultHeader = /^\[\w+(?: for '[\s\S]*?')?\] Result:[ \t]*(?:\n|$)/;

/** Returns whether a user message contains results as text. */
export function hasTextResults(message: Json | undefined): boolean {
  return getTextBlocks(message).some((text) => resultHeader.test(text));
}

/** Moves results that are text into the placeholders before them: messages, or blocks of the same message. */
export function restoreTextResults(messages: readonly Json[]): readonly Json[] {
  if (!messages.some(hasTextResults)) return messages;
  const results = messages
    .filter(hasTextResults)
    .flatMap((message) => parseTextResults(getTextBlocks(message)));
  const restoreContent = (placeholder: Json): Json => {
    const content = results.shift();
    return content === undefined ? placeholder : { ...(placeholder as object), content };
  };
  return messages.flatMap((message) => {
    if (getField(message, 'role') === 'tool') return [restoreContent(message)];
    if (!hasTextResults(message)) return [message];
    const content = getField(message, 'content');
    const blocks = Array.isArray(content) ? (content as readonly Json[]) : [];
    const placeholders = blocks.filter((block) => getField(block, 'type') === 'tool_result');
    return placeholders.length === 0
      ? []
      : [{ ...(message as object), content: placeholders.map(restoreContent) }];
  });
}

/** The output follows the header, or is the next block. What the user wrote in answer may be another block. */
function parseTextResults(blocks: readonly string[]): string[] {
  const results: string[] = [];
  for (const block of blocks) {
    const header = resultHeader.exec(block);
    if (header !== null) results.push(block.slice(header[0].length));
    else if (results.at(-1) === '' || /<(?:feedback|user_message)>/.test(block))
      results.push(`${results.pop() ?? ''}${block}`);
  }
  return results;
}

function getTextBlocks(message: Json | undefined): readonly string[] {
  const content = getField(message, 'content');
  if (getField(message, 'role') !== 'user') return [];
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: Json) => {
    const text = getField(block, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}

function getField(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: Json })[name] : undefined;
}
