import { appendFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditFiles, type AuditOptions } from '../../src/commands/audit/action.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';
import { runUnprivileged } from '../run-unprivileged.ts';
import {
  createClaudeCodeSession,
  createCodexSession,
  healthyCalls,
  repeatFailingCall,
  writeJsonLines,
} from './agent-sessions.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pawl home Żółć 雨 '));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Audits the sessions of this home folder, as `pawl audit` does without arguments. */
async function auditHome(options: Partial<AuditOptions> = {}) {
  const captured = captureIo();
  const environment = { env: {}, home, platform: process.platform };
  const code = await auditFiles([], { format: 'report', environment, ...options }, captured.io);
  return { code, stdout: captured.out(), stderr: captured.err() };
}

const projects = '.claude/projects';

function saveClaudeCodeSession(name: string, calls = healthyCalls): string {
  return writeJsonLines(home, `${projects}/-work/${name}.jsonl`, createClaudeCodeSession(name, calls));
}

function saveCodexSession(name: string, calls = healthyCalls): string {
  return writeJsonLines(
    home,
    `.codex/sessions/2026/03/03/rollout-${name}.jsonl`,
    createCodexSession(name, calls),
  );
}

describe('pawl audit without arguments', () => {
  it('finds the sessions of Claude Code and Codex and names their folders', async () => {
    saveClaudeCodeSession('claude-fine');
    saveClaudeCodeSession('claude-stuck', repeatFailingCall(6));
    saveCodexSession('codex-stuck', repeatFailingCall(9, 'npm test', 'npm error Missing script: test'));
    const { code, stdout, stderr } = await auditHome();
    expect(code).toBe(3);
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      `Claude Code  ${join(home, '.claude', 'projects')}`,
      `Codex        ${join(home, '.codex', 'sessions')}`,
    ]);
    expect(stdout).toContain('3 runs: 2 stuck, 0 warned, 1 fine');
    expect(stdout).toMatch(/repeated-failure +2 /);
    expect(stdout).toMatch(/Bash +1 +200\n/);
    expect(stdout).toContain('{"command":"make"}');
  });

  it('exits with 0 if all sessions are healthy', async () => {
    saveClaudeCodeSession('a');
    saveCodexSession('b');
    const { code, stdout } = await auditHome();
    expect(code).toBe(0);
    expect(stdout).toContain('2 runs: 0 stuck, 0 warned, 2 fine');
    expect(stdout).not.toContain('By rule');
  });

  it('names the folders and groups the runs by source in JSON', async () => {
    saveClaudeCodeSession('a');
    saveCodexSession('b', repeatFailingCall(5));
    const { folders, groups } = JSON.parse((await auditHome({ format: 'json' })).stdout);
    expect(folders).toEqual([
      { agent: 'Claude Code', path: join(home, '.claude', 'projects'), readable: true },
      { agent: 'Codex', path: join(home, '.codex', 'sessions'), readable: true },
    ]);
    expect(
      groups.sources.map(({ name, runs, stuck }: Record<string, unknown>) => [name, runs, stuck]),
    ).toEqual([
      ['codex', 1, 1],
      ['claude-code', 1, 0],
    ]);
    expect(groups.days.map(({ day }: { day: string }) => day)).toEqual(['2026-03-01', '2026-03-03']);
  });

  it('changes nothing in the folders', async () => {
    const file = saveClaudeCodeSession('a', repeatFailingCall(5));
    const { size, mtimeMs, ctimeMs } = await stat(file);
    const names = await readdir(home, { recursive: true });
    await auditHome();
    expect(await stat(file)).toMatchObject({ size, mtimeMs, ctimeMs });
    expect(await readdir(home, { recursive: true })).toEqual(names);
  });

  it('counts the files that are no sessions instead of listing them', async () => {
    saveClaudeCodeSession('a');
    for (let index = 0; index < 12; index += 1)
      await writeFile(join(home, projects, `settings-${index}.json`), '{"theme":"dark"}');
    const { code, stdout, stderr } = await auditHome();
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain('12 files skipped; --verbose or --format json lists them\n');
    const { problems } = JSON.parse((await auditHome({ format: 'json' })).stdout);
    expect(problems).toHaveLength(12);
  });

  it('lists every skipped file with --verbose', async () => {
    saveClaudeCodeSession('a');
    for (let index = 0; index < 30; index += 1)
      await writeFile(join(home, projects, `settings-${index}.json`), '{"theme":"dark"}');
    const { stderr } = await auditHome({ verbose: true });
    expect(stderr.trimEnd().split('\n')).toHaveLength(30);
    expect(stderr).toContain('settings-29.json:1: no run of a known format');
  });

  it('does not count a file with a run as skipped, whatever else is in it', async () => {
    const file = saveClaudeCodeSession('a');
    await writeFile(file, '\n{"type":\n', { flag: 'a' });
    const { stdout } = await auditHome();
    expect(stdout).toContain('1 run: 0 stuck');
    expect(stdout).not.toContain('skipped');
  });

  it('is a usage error that says where it looked if no agent has sessions', async () => {
    const failure = await auditHome().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    const { message } = failure as UsageError;
    expect(message).toMatch(
      /^No sessions of a coding agent found on this machine\. Specify a file or a folder to audit, or - for standard input\. Looked for /,
    );
    expect(message).not.toContain('\n');
    for (const agent of ['Claude Code', 'Codex', 'Gemini CLI', 'opencode', 'Qwen Code', 'Cline', 'Continue'])
      expect(message).toContain(`(${agent})`);
    expect(message).toContain(JSON.stringify(join(home, '.codex', 'sessions')));
  });

  it('is a usage error if the folders it found contain no run', async () => {
    await mkdir(join(home, '.codex', 'sessions'), { recursive: true });
    await expect(auditHome()).rejects.toThrow(
      new UsageError(
        `No recorded runs in ${JSON.stringify(join(home, '.codex', 'sessions'))} (Codex). Specify a file or a folder to audit.`,
      ),
    );
  });

  it('does not look for sessions if files are named', async () => {
    saveClaudeCodeSession('elsewhere', repeatFailingCall(5));
    const file = writeJsonLines(home, 'mine.jsonl', createClaudeCodeSession('mine', healthyCalls));
    const captured = captureIo();
    const environment = { env: {}, home, platform: process.platform };
    expect(await auditFiles([file], { format: 'report', environment }, captured.io)).toBe(0);
    expect(captured.out()).toMatch(/^1 run: 0 stuck/);
  });
});

function createHomeEnvironment(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: home, TMPDIR: tmpdir() };
}

describe('pawl audit as a process', { tags: ['unix'] }, () => {
  it('audits the sessions in the home folder of the user', async () => {
    saveClaudeCodeSession('claude-stuck', repeatFailingCall(6));
    const { code, out } = await runUnprivileged(['audit', '--quiet'], createHomeEnvironment());
    expect(code).toBe(3);
    expect(out).toContain(join(home, '.claude', 'projects'));
    expect(out).toContain('1 run: 1 stuck');
  });

  it('names a folder that cannot be read and audits the others', async () => {
    saveClaudeCodeSession('a');
    saveCodexSession('b', repeatFailingCall(5));
    const unreadable = join(home, '.codex', 'sessions');
    await chmod(unreadable, 0o000);
    try {
      const { code, out } = await runUnprivileged(['audit'], createHomeEnvironment());
      expect(code).toBe(0);
      expect(out).toContain(`Codex        ${unreadable} (cannot be read; check its permissions)`);
      expect(out).toContain('1 run: 0 stuck');
    } finally {
      await chmod(unreadable, 0o755);
    }
  });

  it('counts a file that cannot be read as skipped', async () => {
    saveClaudeCodeSession('a');
    await chmod(saveClaudeCodeSession('private'), 0o000);
    const { code, out } = await runUnprivileged(['audit'], createHomeEnvironment());
    expect(code).toBe(0);
    expect(out).toContain('1 file skipped');
  });

  it('keeps only excerpts of the results of stuck runs in memory', async () => {
    const file = join(home, 'runs.jsonl.gz');
    for (let index = 0; index < 60; index += 1) {
      const result = `line ${index} `.repeat(60_000);
      const steps = Array.from({ length: 6 }, (_, i) => ({
        i,
        role: 'assistant',
        tool: 'read',
        args: {},
        result,
      }));
      appendFileSync(file, gzipSync(`${JSON.stringify({ id: `run-${index}`, steps })}\n`, { level: 1 }));
    }
    const env = { ...createHomeEnvironment(), NODE_OPTIONS: '--max-old-space-size=80' };
    const html = join(home, 'report.html');
    const { code, out } = await runUnprivileged(['audit', '--top', 'all', '--html', html, file], env);
    expect(code).toBe(3);
    expect(out).toContain('60 runs: 60 stuck');
  });
});
