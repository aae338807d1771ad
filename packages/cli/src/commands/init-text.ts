import type { InitAnswers } from './init-answers.ts';

export const initFormats = ['yaml', 'json', 'ts'] as const;
export type InitFormat = (typeof initFormats)[number];

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
  return `# How Pawl works in this folder. \`pawl config show\` tells what holds; every key is in docs/configuration.md.

# The model: librarian works offline; ollama:MODEL, anthropic:MODEL and others need a server or a key.
# Keys stay in the environment, such as ANTHROPIC_API_KEY; never write one here.
model: ${quoteJson(model)}

# How the machine behaves: a name that \`pawl profiles\` lists, or a file.
profile: ${quoteJson(profile)}

# What the agent may do.
permission:
  # What becomes of calls that no rule is about: read-only, ask, auto-edit or full-auto. A folder can only be stricter
  # than your own configuration, which without a word of yours says ask.
  mode: ${mode}
  # A rule that denies always wins.
  # rules:
  #   - allow shell(npm test)
  #   - deny *(secrets/**)

# The command line that runs the tests.
${testCommand === null ? '# testCommand: npm test' : `testCommand: ${quoteJson(testCommand)}`}

# Where a run ends with an answer, whatever it is doing.
# budgets: { modelCalls: 200, wallMs: 3600000 }

# Servers whose tools the agent may use.
# mcpServers:
#   github:
#     command: npx
#     args: [-y, some-github-server]
#     env: { GITHUB_TOKEN: '\${GITHUB_TOKEN}' }
`;
}

function renderTypeScriptConfig({ model, profile, mode, testCommand }: InitAnswers): string {
  return `// How Pawl works in this folder. \`pawl config show\` tells what holds; every key is in docs/configuration.md.
// This is run by itself, once you have trusted it: it may import nothing but node: modules, and read no file.
export default {
  // The model: librarian works offline; ollama:MODEL, anthropic:MODEL and others need a server or a key.
  // Keys stay in the environment, such as ANTHROPIC_API_KEY; never write one here.
  model: ${quoteJson(model)},

  // How the machine behaves: a name that \`pawl profiles\` lists, or a file.
  profile: ${quoteJson(profile)},

  // What the agent may do.
  permission: {
    // What becomes of calls that no rule is about: read-only, ask, auto-edit or full-auto. A folder can only be stricter
    // than your own configuration, which without a word of yours says ask.
    mode: ${quoteJson(mode)},
    // A rule that denies always wins.
    // rules: ['allow shell(npm test)', 'deny *(secrets/**)'],
  },

  // The command line that runs the tests.
  ${testCommand === null ? `// testCommand: 'npm test',` : `testCommand: ${quoteJson(testCommand)},`}

  // Where a run ends with an answer, whatever it is doing.
  // budgets: { modelCalls: 200, wallMs: 3_600_000 },
};
`;
}
