import { givenNames, givenNamesByLibrary, hostLibraries, ownLibraries } from './given-names.ts';

/** Turns an example into a module: names that it does not define are imported or declared above it. */
export async function buildExampleModule(text: string): Promise<string> {
  const about = Object.keys(hostLibraries).find((name) => text.includes(`'${name}'`));
  const used = new Set(stripTextAndComments(text).match(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g));
  const own = new Set(listDeclaredNames(text));
  const lines: string[] = [];
  const known = { ...givenNames, ...(about !== undefined && givenNamesByLibrary[about]) };
  const isHost = about !== undefined;
  for (const library of isHost ? (hostLibraries[about] ?? []) : ownLibraries) {
    const exported = Object.keys((await import(library)) as object);
    const wanted = exported.filter((name) => used.has(name) && !own.has(name) && !Object.hasOwn(known, name));
    for (const name of wanted) own.add(name);
    if (wanted.length > 0) lines.push(`import { ${wanted.join(', ')} } from '${library}';`);
  }
  if (used.has('z') && !own.has('z')) lines.push("import * as z from 'zod';");
  for (const [name, type] of Object.entries(known))
    if (used.has(name) && !own.has(name)) lines.push(`declare const ${name}: ${type};`);
  return `${lines.join('\n')}\n${text}\nexport {};\n`;
}

/** Removes string contents and comments. */
function stripTextAndComments(text: string): string {
  return text.replaceAll(/\/\/.*$|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gm, "''");
}

function listDeclaredNames(text: string): readonly string[] {
  const code = stripTextAndComments(text);
  const single = [
    ...code.matchAll(/\b(?:const|let|function|class|using|async function)\s+([A-Za-z_$][\w$]*)/g),
  ];
  const several = [...code.matchAll(/\b(?:const|let|import)\s*(?:type\s*)?\{([^}]*)\}/g)];
  return [
    ...single.map(([, name = '']) => name),
    ...several.flatMap(([, names = '']) =>
      names.split(',').map(
        (name) =>
          name
            .split(/:|\bas\b/)
            .at(-1)
            ?.trim() ?? '',
      ),
    ),
  ];
}
