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
      `Written by \`npm run bench\` on ${at.toISOString().slice(0, 10)}. The ratios count: everything in a table was measured in one run, in turns. [How to read them](../bench/README.md), and what they do not say.`,
      ...sections,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}
