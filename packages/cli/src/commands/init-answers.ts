import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelSpecs, permissionModes } from '@pawl/runtime';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { initFormats, type InitFormat } from './init-text.ts';
import { profileNamed } from './profile-option.ts';
import { oneOf, didYouMean } from '../one-of.ts';

export type InitAnswers = {
  readonly model: string;
  readonly profile: string;
  readonly mode: (typeof permissionModes)[number];
  readonly testCommand: string | null;
};

/** What is said on the command line already, and so not asked. */
export type InitFlags = {
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
  readonly mode?: string | undefined;
  readonly testCommand?: string | undefined;
  readonly format?: string | undefined;
};

export type Asked = { readonly answers: InitAnswers; readonly format: InitFormat };

/** Asks for what the command line leaves open; without a terminal, what is usual is taken. Null when it was called off. */
export async function ask(
  folder: string,
  flags: InitFlags,
  terminal: Terminal | null,
): Promise<Asked | null> {
  const { profile = 'pawl' } = flags;
  await profileNamed(profile);
  const asked = questionsFor(flags, await testCommandIn(folder));
  // What is said already is looked at before anything is asked.
  for (const { flag, read } of Object.values(asked)) if (flag !== undefined) read(flag);
  const settle = settler(terminal);
  const model = await settle(asked.model);
  const mode = await settle(asked.mode);
  const testCommand = await settle(asked.testCommand);
  const format = await settle(asked.format);
  if (model === null || mode === null || testCommand === null || format === null) return null;
  return { answers: { model, profile, mode, testCommand: testCommand === '' ? null : testCommand }, format };
}

type Question<Answer> = {
  /** What the command line says to it. */
  readonly flag: string | undefined;
  readonly text: string;
  /** The answer of whoever says nothing. */
  readonly usual: string;
  /** Throws a `UsageError` for an answer that cannot be used. */
  readonly read: (said: string) => Answer;
};

type Questions = {
  readonly [Key in Exclude<keyof InitAnswers, 'profile' | 'testCommand'>]: Question<InitAnswers[Key]>;
} & {
  readonly testCommand: Question<string>;
  readonly format: Question<InitFormat>;
};

function questionsFor(flags: InitFlags, testCommand: string | null): Questions {
  return {
    model: {
      flag: flags.model,
      text: 'Which model? librarian, ollama:MODEL, anthropic:MODEL, …',
      usual: 'librarian',
      read: modelSpec,
    },
    mode: {
      flag: flags.mode,
      text: `What may run without asking? ${permissionModes.join(', ')}`,
      usual: 'ask',
      read: (said) => oneOf('mode', said, permissionModes),
    },
    testCommand: {
      flag: flags.testCommand,
      text: 'Which command runs the tests?',
      usual: testCommand ?? '',
      read: (said) => said,
    },
    format: {
      flag: flags.format,
      text: `In which format? ${initFormats.join(', ')}`,
      usual: 'yaml',
      read: (said) => oneOf('format', said, initFormats),
    },
  };
}

/** How often one question is put before it is given up. */
const triesMax = 5;

/** Puts each question until the answer can be used. Once somebody has left, nothing more is asked. */
function settler(terminal: Terminal | null): <Answer>(question: Question<Answer>) => Promise<Answer | null> {
  let isOver = false;
  return async ({ flag, text, usual, read }) => {
    if (flag !== undefined || terminal === null) return read(flag ?? usual);
    let remark = '';
    if (isOver) return null;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const said = await terminal.ask(`${remark}${text} [${usual === '' ? 'none' : usual}] `);
      if (said === null) break;
      try {
        return read(said.trim() === '' ? usual : said.trim());
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        remark = `${error.message}\n`;
      }
    }
    isOver = true;
    return null;
  };
}

const kinds = modelSpecs.map((spec) => spec.split(':', 1)[0] ?? spec);

/** Whether there is such a model shows when it is asked; whether there can be, now. */
function modelSpec(given: string): string {
  const [kind = '', ...rest] = given.trim().split(':');
  const isKnown = kinds.includes(kind.toLowerCase());
  if (isKnown && (kind === 'librarian') === (rest.join(':') === '')) return given.trim();
  const hint = isKnown ? '' : didYouMean(kind, kinds);
  throw new UsageError(
    `There is no model ${JSON.stringify(given)}.${hint} A model is one of: ${modelSpecs.join(', ')}.`,
  );
}

/** What a package of npm says about its tests. */
async function testCommandIn(folder: string): Promise<string | null> {
  try {
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly scripts?: { readonly test?: unknown };
    };
    return typeof scripts?.test === 'string' && scripts.test !== '' ? 'npm test' : null;
  } catch {
    return null;
  }
}
