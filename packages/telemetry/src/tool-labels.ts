/** A model can name tools that there are none of, and as many as it likes; labels of metrics must not grow with that. */
const labelsMax = 200;
const charsMax = 100;

/** The name of a tool as a label: the first so many as they are, all others as one. */
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
