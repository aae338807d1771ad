/** The output of one benchmark. */
export type PrintedBench = { readonly file: string; readonly title: string; readonly text: string };

/** Renders the page of the last complete run. Each benchmark prints its own machine and versions. */
export function renderBenchmarksPage(printed: readonly PrintedBench[], at: Date): string {
  const sections = printed.map(
    ({ file, title, text }) => `## ${title}\n\n\`bench/${file}\`\n\n\`\`\`text\n${text.trim()}\n\`\`\``,
  );
  return (
    [
      '# Benchmarks',
      `Written by \`npm run bench\` on ${at.toISOString().slice(0, 10)}. Compare ratios, not times: all rows of a table were measured alternately in one run. See [how to read the results](../bench/README.md).`,
      ...sections,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}
