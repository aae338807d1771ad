import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readTextFile } from '../search/text-file.ts';

const manifestSchema = z.object({ scripts: z.object({ test: z.string() }) });
const manifestBytesMax = 1024 * 1024;

/** The placeholder test script that `npm init` writes. */
const placeholderPattern = /no test specified/;

/** Detects the project's test command from its files; null if none is found. */
export async function detectTestCommand(root: string): Promise<string | null> {
  if (await hasTestScript(root)) {
    const manager = await findFirstMarker(root, packageManagers);
    return `${manager ?? 'npm'} test`;
  }
  return findFirstMarker(root, testRunners);
}

async function hasTestScript(root: string): Promise<boolean> {
  const file = await readTextFile(join(root, 'package.json'), manifestBytesMax);
  if (!file.ok) return false;
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(file.text));
    return parsed.success && !placeholderPattern.test(parsed.data.scripts.test);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

type ProjectMarker = { readonly file: string; readonly command: string };

const packageManagers: readonly ProjectMarker[] = [
  { file: 'pnpm-lock.yaml', command: 'pnpm' },
  { file: 'yarn.lock', command: 'yarn' },
];

const testRunners: readonly ProjectMarker[] = [
  { file: 'Cargo.toml', command: 'cargo test' },
  { file: 'go.mod', command: 'go test -v ./...' },
  { file: 'pytest.ini', command: 'pytest' },
  { file: 'pyproject.toml', command: 'pytest' },
];

async function findFirstMarker(root: string, markers: readonly ProjectMarker[]): Promise<string | null> {
  for (const { file, command } of markers) {
    const exists = await access(join(root, file)).then(
      () => true,
      () => false,
    );
    if (exists) return command;
  }
  return null;
}
