import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildHookBundle, hookBundlePath } from '../scripts/hook-bundle.ts';

it('dist/hook.cjs is built from the current sources: npm run build -w packages/cli updates it', async () => {
  expect(readFileSync(hookBundlePath, 'utf8')).toBe(await buildHookBundle());
});
