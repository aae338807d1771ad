import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelSpecs, permissionModes } from '@pawl/runtime';
import type { TerminalPrompt } from '../terminal-prompt.ts';
import { UsageError } from '../usage-error.ts';
import { initFormats, type InitFormat } from './init-text.ts';
import { resolveProfile } from './profile-option.ts';
import { parseChoice, formatNameSuggestion } from '../parse-choice.ts';

export type InitAnswers = {
  readonly model: string;
  readonly profile: string;
  readonly mode: (typeof permissionModes)[number];
  readonly testCommand: string | null;
};

/** Answers given on the command line, which are not asked for. */
export type InitAnswerFlags = {
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
  readonly mode?: string | undefined;
  readonly testCommand?: string | undefined;
  readonly format?: string | undefined;
};

export type InitChoices = { readonly answers: InitAnswers; readonly format: InitFormat };

/** Asks for the answers that the command line leaves open; without a terminal the defaults apply. Null if cancelled. */
export async function askInitQuestions(
  folder: string,
  flags: InitAnswerFlags,
  terminal: TerminalPrompt | null,
): Promise<InitChoices | null> {
  const { profile = 'pawl' } = flags;
  await resolveProfile(profile);
  const questions = createInitQuestions(flags, await detectNpmTestCommand(folder));
  // Validate the given answers before asking for the others.
  for (const { flag, parse } of Object.values(questions)) if (flag !== undefined) parse(flag);
  const ask = createInitAsker(terminal);
  const model = await ask(questions.model);
  const mode = await ask(questions.mode);
  const testCommand = await ask(questions.testCommand);
  const format = await ask(questions.format);
  if (model === null || mode === null || testCommand === null || format === null) return null;
  return { answers: { model, profile, mode, testCommand: testCommand === '' ? null : testCommand }, format };
}

type InitQuestion<Answer> = {
  /** The answer from the command line. */
  readonly flag: string | undefined;
  readonly text: string;
  /** The default answer. */
  readonly defaultAnswer: string;
  /** Throws a `UsageError` for an invalid answer. */
  readonly parse: (answer: string) => Answer;
};

type InitQuestions = {
  readonly [Key in Exclude<keyof InitAnswers, 'profile' | 'testCommand'>]: InitQuestion<InitAnswers[Key]>;
} & {
  readonly testCommand: InitQuestion<string>;
  readonly format: InitQuestion<InitFormat>;
};

function createInitQuestions(flags: InitAnswerFlags, testCommand: string | null): InitQuestions {
  return {
    model: {
      flag: flags.model,
      text: 'Which model? librarian, ollama:MODEL, anthropic:MODEL, …',
      defaultAnswer: 'librarian',
      parse: parseModelSpec,
    },
    mode: {
      flag: flags.mode,
      text: `What may run without asking? ${permissionModes.join(', ')}`,
      defaultAnswer: 'ask',
      parse: (answer) => parseChoice('mode', answer, permissionModes),
    },
    testCommand: {
      flag: flags.testCommand,
      text: 'Which command runs the tests?',
      defaultAnswer: testCommand ?? '',
      parse: (answer) => answer,
    },
    format: {
      flag: flags.format,
      text: `In which format? ${initFormats.join(', ')}`,
      defaultAnswer: 'yaml',
      parse: (answer) => parseChoice('format', answer, initFormats),
    },
  };
}

/** Maximum number of times one question is asked. */
const maxQuestionTries = 5;

/** Repeats each question until the answer is valid. Once the user has left, no further question is asked. */
function createInitAsker(
  terminal: TerminalPrompt | null,
): <Answer>(question: InitQuestion<Answer>) => Promise<Answer | null> {
  let isCancelled = false;
  return async ({ flag, text, defaultAnswer, parse }) => {
    if (flag !== undefined || terminal === null) return parse(flag ?? defaultAnswer);
    let remark = '';
    if (isCancelled) return null;
    for (let tries = 0; tries < maxQuestionTries; tries += 1) {
      const answer = await terminal.ask(
        `${remark}${text} [${defaultAnswer === '' ? 'none' : defaultAnswer}] `,
      );
      if (answer === null) break;
      try {
        return parse(answer.trim() === '' ? defaultAnswer : answer.trim());
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        remark = `${error.message}\n`;
      }
    }
    isCancelled = true;
    return null;
  };
}

const modelKinds = modelSpecs.map((spec) => spec.split(':', 1)[0] ?? spec);

/** Validates only the form of the spec; whether the model exists shows on the first request. */
function parseModelSpec(spec: string): string {
  const [kind = '', ...rest] = spec.trim().split(':');
  const isKnown = modelKinds.includes(kind.toLowerCase());
  if (isKnown && (kind === 'librarian') === (rest.join(':') === '')) return spec.trim();
  const hint = isKnown ? '' : formatNameSuggestion(kind, modelKinds);
  throw new UsageError(
    `There is no model ${JSON.stringify(spec)}.${hint} A model is one of: ${modelSpecs.join(', ')}.`,
  );
}

/** Reads the test command from package.json. */
async function detectNpmTestCommand(folder: string): Promise<string | null> {
  try {
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly scripts?: { readonly test?: unknown };
    };
    return typeof scripts?.test === 'string' && scripts.test !== '' ? 'npm test' : null;
  } catch {
    return null;
  }
}
