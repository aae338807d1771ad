/** What is wrong with a text as an XML document, or null. Strict, and knows no more than what the drawings use. */
export function findXmlError(text: string): string | null {
  const illegal = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(text);
  if (illegal !== null) return `an illegal character at ${illegal.index}`;
  const parts = text.trimEnd().match(/<[^>]*>|[^<]+|</gu) ?? [];
  const open: string[] = [];
  for (const [index, part] of parts.entries()) {
    const error = part.startsWith('<') ? findTagError(part, open) : findTextError(part);
    if (error !== null) return `${error}: ${part}`;
    if (open.length === 0 && index < parts.length - 1) return `over before ${parts[index + 1]}`;
  }
  return parts.length === 0 || open.length > 0 ? `unfinished: ${open.join(', ')}` : null;
}

/** Keeps account of the elements that are open. */
function findTagError(tag: string, open: string[]): string | null {
  const {
    close,
    name,
    attributes = '',
    empty,
  } = /^<(?<close>\/?)(?<name>[a-z]+)(?<attributes>(?: [\w-]+="[^"<&]*")*)(?<empty>\/?)>$/iu.exec(tag)
    ?.groups ?? {};
  if (name === undefined) return 'not a tag';
  const names = [...attributes.matchAll(/ ([\w-]+)=/gu)].map(([, attribute]) => attribute);
  if (new Set(names).size !== names.length) return 'an attribute twice';
  if (close === '/') return open.pop() === name ? null : 'the wrong end';
  if (empty === '') open.push(name);
  return null;
}

function findTextError(text: string): string | null {
  return /&(?!#\d+;)|\]\]>/u.test(text) ? 'unescaped text' : null;
}

/** The texts of all elements of this name, as a reader sees them. */
export function listElementTexts(xml: string, element: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${element}[^>]*>([^<]*)</${element}>`, 'gu'))].map(([, text = '']) =>
    text.replaceAll(/&#(\d+);/gu, (_, code) => String.fromCodePoint(Number(code))),
  );
}
