import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../source-files.ts';

/**
 * Names that examples in the docs may use without defining them, so that each example shows only one thing. The
 * packages must export every other name that an example uses.
 */
export const givenNames: Readonly<Record<string, string>> = {
  agent: "import('@pawl/runtime').Agent",
  answer: 'string',
  ask: "import('@pawl/runtime/permission').PermissionPrompter",
  decide: "NonNullable<import('@pawl/runtime').AgentOptions['decide']>",
  folder: 'string',
  id: 'string',
  instructions: 'string',
  model: "import('@pawl/runtime').Model",
  notify: '(text: string | null) => Promise<void>',
  prompt: 'string',
  root: 'string',
  rules: "import('@pawl/runtime').PermissionCheck",
  sandbox: "import('@pawl/runtime/sandbox').DetectedSandbox",
  session: "import('@pawl/core').Session",
  text: 'string',
  tools: "readonly import('@pawl/runtime').Tool[]",
  workspace: 'string',
};

/** Additional names for pages about another library. */
export const givenNamesByLibrary: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@pawl/adapters/ai-sdk': { model: "import('ai').LanguageModel", tools: "import('ai').ToolSet" },
  '@pawl/adapters/langchain': {
    model: "import('@langchain/core/language_models/chat_models').BaseChatModel",
    tools: "import('@langchain/core/tools').StructuredTool[]",
  },
  '@pawl/adapters/langgraph': {
    model:
      "import('@langchain/core/language_models/chat_models').BaseChatModel & Required<Pick<import('@langchain/core/language_models/chat_models').BaseChatModel, 'bindTools'>>",
    tools: "import('@langchain/core/tools').StructuredTool[]",
  },
  '@pawl/adapters/openai-agents': {
    read: "import('@openai/agents').FunctionTool",
    run: "import('@openai/agents').FunctionTool",
  },
  '@pawl/adapters/llamaindex': {
    llm: "import('@llamaindex/core/llms').ToolCallLLM",
    tools: "import('@llamaindex/core/llms').BaseToolWithCall[]",
  },
  '@pawl/adapters/mastra': {
    model: "import('@mastra/core/llm').MastraModelConfig",
    tools: "import('@mastra/core/agent').ToolsInput",
  },
  '@pawl/adapters/messages': {
    messages: "import('openai').OpenAI.ChatCompletionMessageParam[]",
    client: "import('openai').OpenAI",
    request: '{ readonly model: string }',
  },
};

/** Adapters whose framework is installed only by their own tests, which compile the examples. */
export const separatelyTestedAdapters: readonly string[] = [
  '@pawl/adapters/claude-agent-sdk',
  '@pawl/adapters/genkit',
  '@pawl/adapters/google-adk',
  '@pawl/adapters/voltagent',
];

/** Libraries from which undeclared names are imported on pages about an adapter. */
export const hostLibraries: Readonly<Record<string, readonly string[]>> = {
  '@pawl/adapters/ai-sdk': ['ai'],
  '@pawl/adapters/langchain': ['langchain'],
  '@pawl/adapters/langgraph': ['@langchain/langgraph', '@langchain/langgraph/prebuilt'],
  '@pawl/adapters/llamaindex': ['@llamaindex/workflow'],
  '@pawl/adapters/openai-agents': ['@openai/agents'],
  '@pawl/adapters/mastra': ['@mastra/core/agent'],
  '@pawl/adapters/messages': [],
};

/** Entry points from which undeclared names are imported on other pages, in order of precedence. */
export const ownLibraries: readonly string[] = ['runtime', 'core', 'governor', 'worker', 'dashboard'].flatMap(
  (folder) => {
    const path = join(repositoryRoot, 'packages', folder, 'package.json');
    const { name, exports } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly name: string;
      readonly exports: object;
    };
    return Object.keys(exports).map((subpath) => name + subpath.slice(1));
  },
);
