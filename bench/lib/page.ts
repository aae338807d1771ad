/** What one bench has printed. */
export type Printed = { readonly file: string; readonly title: string; readonly text: string };

/** The page with the last whole run. Each bench says itself on which machine and with which versions it ran. */
export function benchmarksPage(printed: readonly Printed[], at: Date): string {
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
