import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of one run, all temporary. */
export type RunFolders = {
  /** The home folder of the client. */
  readonly home: string;
  /** The folder it works in. */
  readonly work: string;
};

/** How a client is started on a prompt, without a terminal, with all permissions. */
export type ClientStart = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** A coding agent that is installed from npm. */
export type HostClient = {
  readonly name: string;
  readonly title: string;
  readonly packageName: string;
  readonly bin: string;
  /** The name of its hooks for `pawl hook install`; null if it is governed by the proxy only. */
  readonly hook: string | null;
  /** Writes the settings of the client and returns how to start it. `url` has no path. */
  readonly prepare: (url: string, prompt: string, folders: RunFolders) => ClientStart;
};

const claudeCode: HostClient = {
  name: 'claude',
  title: 'Claude Code',
  packageName: '@anthropic-ai/claude-code',
  bin: 'claude',
  hook: 'claude',
  prepare: (url, prompt, { home }) => ({
    args: ['--print', prompt, '--dangerously-skip-permissions', '--model', 'claude-sonnet-4-5'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'test',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it refuses to run as root without permission prompts.
      IS_SANDBOX: '1',
    },
  }),
};

const codex: HostClient = {
  name: 'codex',
  title: 'Codex',
  packageName: '@openai/codex',
  bin: 'codex',
  hook: 'codex',
  prepare(url, prompt, { home }) {
    writeSettings(
      join(home, '.codex'),
      'config.toml',
      [
        'model = "gpt-5"',
        'model_provider = "local"',
        'check_for_update_on_startup = false',
        '[model_providers.local]',
        'name = "local"',
        `base_url = "${url}/v1"`,
        'env_key = "LOCAL_API_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    );
    return {
      args: [
        'exec',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        '--dangerously-bypass-hook-trust',
        prompt,
      ],
      env: { CODEX_HOME: join(home, '.codex'), LOCAL_API_KEY: 'test' },
    };
  },
};

const geminiCli: HostClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  packageName: '@google/gemini-cli',
  bin: 'gemini',
  hook: 'gemini',
  prepare(url, prompt, { home }) {
    writeSettings(join(home, '.gemini'), 'settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    });
    return {
      args: ['--prompt', prompt, '--yolo', '--model', 'gemini-2.5-pro'],
      env: { GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_HOME: home },
    };
  },
};

const opencode: HostClient = {
  name: 'opencode',
  title: 'opencode',
  packageName: 'opencode-ai',
  bin: 'opencode',
  hook: 'opencode',
  prepare(url, prompt, { home }) {
    writeSettings(join(home, '.config/opencode'), 'opencode.json', {
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'test' },
          models: { m: { name: 'm', tool_call: true, limit: { context: 128_000, output: 4_096 } } },
        },
      },
      permission: { bash: 'allow', edit: 'allow' },
      autoupdate: false,
      share: 'disabled',
    });
    return {
      args: ['run', '--model', 'local/m', prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    };
  },
};

const qwenCode: HostClient = {
  name: 'qwen',
  title: 'Qwen Code',
  packageName: '@qwen-code/qwen-code',
  bin: 'qwen',
  hook: 'qwen',
  prepare(url, prompt, { home }) {
    writeSettings(join(home, '.qwen'), 'settings.json', {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    });
    return {
      args: ['--prompt', prompt, '--yolo', '--auth-type', 'openai', '--model', 'm'],
      env: { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'm' },
    };
  },
};

const cline: HostClient = {
  name: 'cline',
  title: 'Cline',
  packageName: 'cline',
  bin: 'cline',
  hook: null,
  prepare(url, prompt, { home, work }) {
    writeSettings(join(home, '.cline/data/settings'), 'providers.json', {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': {
          settings: { provider: 'openai-compatible', apiKey: 'test', model: 'm', baseUrl: `${url}/v1` },
          updatedAt: '2026-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    });
    return {
      args: ['--provider', 'openai-compatible', '--model', 'm', '--key', 'test', '--cwd', work, prompt],
      env: { CLINE_TELEMETRY_DISABLED: '1' },
    };
  },
};

const continueCli: HostClient = {
  name: 'continue',
  title: 'Continue',
  packageName: '@continuedev/cli',
  bin: 'cn',
  hook: null,
  prepare(url, prompt, { home }) {
    writeSettings(
      join(home, '.continue'),
      'config.yaml',
      [
        'name: local',
        'version: 0.0.1',
        'schema: v1',
        'models:',
        '  - name: m',
        '    provider: openai',
        '    model: m',
        '    apiKey: test',
        `    apiBase: ${url}/v1`,
        '    roles: [chat]',
        '    capabilities: [tool_use]',
        '',
      ].join('\n'),
    );
    return {
      args: ['--print', prompt, '--auto', '--config', join(home, '.continue/config.yaml')],
      env: { CONTINUE_GLOBAL_DIR: join(home, '.continue'), CONTINUE_TELEMETRY_ENABLED: '0' },
    };
  },
};

const copilotCli: HostClient = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  packageName: '@github/copilot',
  bin: 'copilot',
  hook: 'copilot',
  prepare: (url, prompt, { home }) => ({
    args: ['-p', prompt, '--allow-all-tools'],
    env: {
      COPILOT_HOME: join(home, '.copilot'),
      // With a provider of one's own and without other network access, it needs no account.
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'test',
      COPILOT_MODEL: 'm',
    },
  }),
};

export const hostClients: readonly HostClient[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  qwenCode,
  copilotCli,
  cline,
  continueCli,
];

function writeSettings(folder: string, name: string, content: string | object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
