import { sanitizeOneLine } from '../../output/sanitize-text.ts';

/** Escapes text for an element or an attribute, so that it is shown literally. */
export function escapeHtmlText(text: string): string {
  return escapeHtml(sanitizeOneLine(text.slice(0, maxHtmlCharacters).toWellFormed()));
}

/** Maximum length of a name or a goal in a report. */
const maxHtmlCharacters = 300;

/** Renders an element. Attributes are escaped; the content must already be HTML. */
export function renderElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string,
): string {
  const attributeTexts = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeHtml(String(value))}"`,
  );
  return `<${name}${attributeTexts.join('')}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
