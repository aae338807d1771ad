import type { ToolDescription } from '../../tools/tool.ts';

/** The names of tools as a provider takes them, and back. */
export type WireNames = {
  toWire(tool: string): string;
  fromWire(name: string): string;
};

/** What all providers take. */
const nameMax = 64;
const unfit = /[^a-zA-Z0-9_-]/g;

/** A name that does not fit is written in letters that do; two that would then be one are told apart by a number. */
export function wireNamesFor(tools: readonly ToolDescription[]): WireNames {
  const byTool = new Map<string, string>();
  const byName = new Map<string, string>();
  const add = (tool: string): string => {
    const fitting = fit(tool);
    let name = fitting;
    for (let count = 2; byName.has(name); count += 1) {
      const end = `_${count}`;
      name = fitting.slice(0, nameMax - end.length) + end;
    }
    byTool.set(tool, name);
    byName.set(name, tool);
    return name;
  };
  // Those that fit keep their names, wherever they stand in the list.
  const names = [...new Set(tools.map(({ name }) => name))];
  for (const name of names.toSorted((a, b) => Number(fit(a) !== a) - Number(fit(b) !== b))) add(name);
  return {
    toWire: (tool) => byTool.get(tool) ?? add(tool),
    fromWire: (name) => byName.get(name) ?? name,
  };
}

function fit(tool: string): string {
  const name = tool.replaceAll(unfit, '_').slice(0, nameMax);
  // Google wants a letter or an underscore first.
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`.slice(0, nameMax);
}
