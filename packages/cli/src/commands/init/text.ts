import type { permissionModes } from '@pawl/runtime/permission';

export const initFormats = ['yaml', 'json', 'ts'] as const;
export type InitFormat = (typeof initFormats)[number];

export type InitAnswers = {
  readonly model: string;
  readonly profile: string;
  readonly mode: (typeof permissionModes)[number];
  readonly testCommand: string | null;
};

/** Renders a configuration file with the answers, and with comments on further settings. */
export function renderConfigFile(format: InitFormat, answers: InitAnswers): string {
  switch (format) {
    case 'yaml':
      return renderYamlConfig(answers);
    case 'json':
      return `${JSON.stringify(toConfigValues(answers), null, 2)}\n`;
    case 'ts':
      return renderTypeScriptConfig(answers);
    default:
      return format satisfies never;
  }
}

/** The answers as plain values, because JSON has no comments. */
function toConfigValues({ model, profile, mode, testCommand }: InitAnswers): object {
  return { model, profile, permission: { mode }, ...(testCommand !== null && { testCommand }) };
}

/** YAML and TypeScript both read JSON string literals. */
const quoteJson = (text: string): string => JSON.stringify(text);

function renderYamlConfig({ model, profile, mode, testCommand }: InitAnswers): string {
  return `# Pawl configuration of this folder. \`pawl config show\` prints the effective values; docs/configuration.md lists every key.

# The model: librarian works offline; ollama:MODEL, anthropic:MODEL and others need a server or a key.
# Keys stay in the environment, such as ANTHROPIC_API_KEY; never write one here.
model: ${quoteJson(model)}

# The profile: a name listed by \`pawl profiles\`, or a file.
profile: ${quoteJson(profile)}

# What the agent may do.
permission:
  # The mode for calls that no rule matches: read-only, ask, auto-edit or full-auto. A project can only be stricter than
  # your user configuration, whose default is ask.
  mode: ${mode}
  # A deny rule always wins.
  # rules:
  #   - allow shell(npm test)
  #   - deny *(secrets/**)

# The command line that runs the tests.
${testCommand === null ? '# testCommand: npm test' : `testCommand: ${quoteJson(testCommand)}`}

# Limits at which a run ends with an answer.
# budgets: { modelCalls: 200, wallMs: 3600000 }

# MCP servers whose tools the agent may use.
# mcpServers:
#   github:
#     command: npx
#     args: [-y, some-github-server]
#     env: { GITHUB_TOKEN: '\${GITHUB_TOKEN}' }
`;
}

function renderTypeScriptConfig({ model, profile, mode, testCommand }: InitAnswers): string {
  return `// Pawl configuration of this folder. \`pawl config show\` prints the effective values; docs/configuration.md lists every key.
// This code runs in isolation once you trust it: it can import only node: modules and cannot read files.
export default {
  // The model: librarian works offline; ollama:MODEL, anthropic:MODEL and others need a server or a key.
  // Keys stay in the environment, such as ANTHROPIC_API_KEY; never write one here.
  model: ${quoteJson(model)},

  // The profile: a name listed by \`pawl profiles\`, or a file.
  profile: ${quoteJson(profile)},

  // What the agent may do.
  permission: {
    // The mode for calls that no rule matches: read-only, ask, auto-edit or full-auto. A project can only be stricter
    // than your user configuration, whose default is ask.
    mode: ${quoteJson(mode)},
    // A deny rule always wins.
    // rules: ['allow shell(npm test)', 'deny *(secrets/**)'],
  },

  // The command line that runs the tests.
  ${testCommand === null ? `// testCommand: 'npm test',` : `testCommand: ${quoteJson(testCommand)},`}

  // Limits at which a run ends with an answer.
  // budgets: { modelCalls: 200, wallMs: 3_600_000 },
};
`;
}
