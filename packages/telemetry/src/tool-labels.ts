/** A model can make up any number of tool names; the labels of metrics must not grow with them. */
const labelsMax = 200;
const charsMax = 100;

/** The name of a tool as a label: the first ones as they are, all others as one. */
export function createToolLabels(): (tool: string) => string {
  const known = new Set<string>();
  return (tool) => {
    const label = tool.slice(0, charsMax);
    if (known.has(label)) return label;
    if (known.size >= labelsMax) return '_OTHER';
    known.add(label);
    return label;
  };
}
