import { visibleLine } from '../visible.ts';

/** Text inside a page or an attribute: whatever is in it, it is shown and nothing else. */
export function escaped(text: string): string {
  return inert(visibleLine(text.slice(0, charactersMax).toWellFormed()));
}

/** Nobody reads more of a name or a goal in a report. */
const charactersMax = 300;

/** An element. Attributes are escaped; what is inside is HTML already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: string,
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${inert(String(value))}"`);
  return `<${name}${given.join('')}>${inside}</${name}>`;
}

function inert(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
