/** A model can invent any number of tool names, so metric labels must be limited. */
const toolLabelsMax = 200;
const toolLabelLengthMax = 100;

/** Maps tool names to labels: the first ones unchanged, all others to `_OTHER`. */
export function createToolLabeler(): (tool: string) => string {
  const known = new Set<string>();
  return (tool) => {
    const label = tool.slice(0, toolLabelLengthMax);
    if (known.has(label)) return label;
    if (known.size >= toolLabelsMax) return '_OTHER';
    known.add(label);
    return label;
  };
}
