/** A code block in a page. `line` is the first line of its text. */
export type CodeBlock = { readonly language: string; readonly text: string; readonly line: number };

/** Parses the fenced code blocks. */
export function parseCodeBlocks(page: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: {
    readonly language: string;
    readonly fence: string;
    readonly line: number;
    text: string[];
  } | null = null;
  for (const [index, line] of page.split('\n').entries()) {
    const fence = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line);
    if (open === null && fence !== null) {
      open = { language: fence[2] ?? '', fence: fence[1] ?? '', line: index + 2, text: [] };
    } else if (open !== null && line.trim() === open.fence) {
      blocks.push({ language: open.language, text: open.text.join('\n'), line: open.line });
      open = null;
    } else {
      open?.text.push(line);
    }
  }
  return blocks;
}

/** Lists the targets of links and images outside code. */
export function listLinks(page: string): readonly string[] {
  const prose = stripCodeBlocks(page);
  return [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = '']) => target);
}

/** Lists the anchors of a page: its headings as URL fragments. */
export function listAnchors(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of stripCodeBlocks(page, false).matchAll(/^#{1,6}\s+(.+)$/gm)) {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function stripCodeBlocks(page: string, alsoInline = true): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of page.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && line.trim() === fence) fence = null;
    else if (fence === null) kept.push(alsoInline ? line.replaceAll(/`[^`]*`/g, '') : line);
  }
  return kept.join('\n');
}
