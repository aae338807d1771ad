import { afterAll, vi } from 'vitest';

// Test files share a process. Each gets the environment, the working folder and the clock that the first one had.
const env = { ...process.env };
const folder = process.cwd();

afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  if (process.cwd() !== folder) process.chdir(folder);
});
