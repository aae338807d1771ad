import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readTextFile } from '../search/text-file.ts';

const manifest = z.object({ scripts: z.object({ test: z.string() }) });
const manifestBytesMax = 1024 * 1024;

/** What `npm init` writes where there are no tests. */
const placeholder = /no test specified/;

/** How this project runs its tests, as far as its files tell; null when they do not. */
export async function detectTestCommand(root: string): Promise<string | null> {
  if (await hasTestScript(root)) {
    const manager = await firstThat(root, managers);
    return `${manager ?? 'npm'} test`;
  }
  return firstThat(root, runners);
}

async function hasTestScript(root: string): Promise<boolean> {
  const file = await readTextFile(join(root, 'package.json'), manifestBytesMax);
  if (!file.ok) return false;
  try {
    const parsed = manifest.safeParse(JSON.parse(file.text));
    return parsed.success && !placeholder.test(parsed.data.scripts.test);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

type Sign = { readonly file: string; readonly means: string };

const managers: readonly Sign[] = [
  { file: 'pnpm-lock.yaml', means: 'pnpm' },
  { file: 'yarn.lock', means: 'yarn' },
];

const runners: readonly Sign[] = [
  { file: 'Cargo.toml', means: 'cargo test' },
  { file: 'go.mod', means: 'go test -v ./...' },
  { file: 'pytest.ini', means: 'pytest' },
  { file: 'pyproject.toml', means: 'pytest' },
];

async function firstThat(root: string, signs: readonly Sign[]): Promise<string | null> {
  for (const { file, means } of signs) {
    const isThere = await access(join(root, file)).then(
      () => true,
      () => false,
    );
    if (isThere) return means;
  }
  return null;
}
