import type { ToolDescription } from '../../tools/tool.ts';

/** Maps tool names to names that every provider accepts, and back. */
export type WireNames = {
  toWire(tool: string): string;
  fromWire(name: string): string;
};

/** Maximum length that every provider accepts. */
const wireNameMax = 64;
const invalidNameCharacters = /[^a-zA-Z0-9_-]/g;

/** Replaces invalid characters; names that would become equal get a numeric suffix. */
export function createWireNames(tools: readonly ToolDescription[]): WireNames {
  const byTool = new Map<string, string>();
  const byName = new Map<string, string>();
  const add = (tool: string): string => {
    const baseName = toWireName(tool);
    let name = baseName;
    for (let count = 2; byName.has(name); count += 1) {
      const suffix = `_${count}`;
      name = baseName.slice(0, wireNameMax - suffix.length) + suffix;
    }
    byTool.set(tool, name);
    byName.set(name, tool);
    return name;
  };
  // Valid names are added first, so that they stay unchanged.
  const names = [...new Set(tools.map(({ name }) => name))];
  for (const name of names.toSorted((a, b) => Number(toWireName(a) !== a) - Number(toWireName(b) !== b)))
    add(name);
  return {
    toWire: (tool) => byTool.get(tool) ?? add(tool),
    fromWire: (name) => byName.get(name) ?? name,
  };
}

function toWireName(tool: string): string {
  const name = tool.replaceAll(invalidNameCharacters, '_').slice(0, wireNameMax);
  // Google requires a letter or an underscore first.
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`.slice(0, wireNameMax);
}
