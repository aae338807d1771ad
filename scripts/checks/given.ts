/**
 * What examples in the docs take as given, as they say or as anybody would guess: an example shows one thing, and is not to begin
 * with a page of others. Whatever they use besides has to be exported by the packages.
 */
export const given: Readonly<Record<string, string>> = {
  agent: "import('@pawl/runtime').Agent",
  answer: 'string',
  ask: "import('@pawl/runtime').AskPermission",
  decide: "NonNullable<import('@pawl/runtime').AgentOptions['decide']>",
  folder: 'string',
  id: 'string',
  instructions: 'string',
  launcher: "import('@pawl/runtime').FoundLauncher",
  model: "import('@pawl/runtime').Model",
  notify: '(text: string | null) => Promise<void>',
  prompt: 'string',
  root: 'string',
  rules: "import('@pawl/runtime').Rules",
  session: "import('@pawl/core').Session",
  text: 'string',
  tools: "readonly import('@pawl/runtime').Tool[]",
  workspace: 'string',
};

/** The same, where a page is about somebody else's library. */
export const givenIn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

/** Where names come from that an example does not import. */
export const libraries: Readonly<Record<string, readonly string[]>> = {
  '@pawl/adapters/ai-sdk': ['ai'],
  '@pawl/adapters/langchain': ['langchain'],
  '@pawl/adapters/langgraph': ['@langchain/langgraph', '@langchain/langgraph/prebuilt'],
  '@pawl/adapters/openai-agents': ['@openai/agents'],
  '@pawl/adapters/mastra': ['@mastra/core/agent'],
  '@pawl/adapters/messages': [],
};

/** Where else they come from, the nearest first. */
export const ownLibraries: readonly string[] = [
  '@pawl/runtime',
  '@pawl/core',
  '@pawl/worker',
  '@pawl/dashboard',
];
