import { createTrustStore } from '@pawl/runtime/trust';
import { formatNameSuggestion } from '@pawl/runtime/suggestions';
import { modelSpecs } from '@pawl/runtime/models';
import { permissionModes } from '@pawl/runtime/permission';
import { readConfigFile } from '@pawl/runtime/config-files';
import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  evaluateConfig,
  findConfigFile,
  mergeConfigs,
  getUserConfigFolder,
  toTrustedContents,
} from '@pawl/runtime/config';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { openTerminalPrompt, type TerminalPrompt } from '../../output/terminal-prompt.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { loadConfigLayers, toConfigUsageError, resolveProfileOption } from '../../options/load-config.ts';
import { renderConfigFile, initFormats, type InitAnswers, type InitFormat } from './text.ts';
import { resolveFolder, parseChoice } from '../../options/parse-options.ts';

export type InitOptions = InitAnswerFlags & {
  readonly dir: string;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/**
 * Writes a configuration for a folder that has none. The user who creates it thereby trusts it, so it applies at once.
 */
export async function initProject(
  { dir, yes, json, ...flags }: InitOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const folder = await resolveFolder(dir);
  await requireNoConfig(folder);
  const terminal = yes === true || json === true ? null : openTerminalPrompt(io);
  const choices = await askInitQuestions(folder, flags, abortOnInputEnd(terminal, io));
  if (choices === null) {
    io.stderr.write('Nothing was written.\n');
    return exitCodes.interrupted;
  }
  const path = join(folder, `pawl.config.${choices.format}`);
  await writeNewConfig(path, renderConfigFile(choices.format, choices.answers));
  const { config } = await trustWrittenConfig(folder, path);
  const hint = await getStricterModeHint(folder, choices.answers.mode);
  if (hint !== null) io.stderr.write(`${sanitizeOneLine(hint)}\n`);
  io.stdout.write(
    json === true
      ? `${JSON.stringify({ path, format: choices.format, trusted: true, config }, null, 2)}\n`
      : `Wrote ${sanitizeOneLine(path)} and trusted its content. To see the effective configuration: pawl config show\n`,
  );
  return exitCodes.finished;
}

/** Aborts pending questions when the input ends, for example with Ctrl-D, because no answer can follow. */
function abortOnInputEnd(terminal: TerminalPrompt | null, { stdin }: CommandIo): TerminalPrompt | null {
  if (terminal === null) return null;
  const inputEnd = new AbortController();
  stdin.once('end', () => inputEnd.abort());
  return { ask: (question) => terminal.ask(question, inputEnd.signal) };
}

/** A project cannot loosen the user's permission mode; the hint says where to change it. */
async function getStricterModeHint(folder: string, mode: string): Promise<string | null> {
  const { layers } = await loadConfigLayers(folder, {});
  const effectiveMode = mergeConfigs({ ...layers, environment: {} }).permission?.mode;
  if (effectiveMode === mode) return null;
  const userFile = join(getUserConfigFolder(), 'pawl.config.yaml');
  return `The effective permission mode is ${effectiveMode ?? 'ask'}: a project cannot allow more than the user configuration. Allow ${mode} in ${userFile}, or run pawl with --mode ${mode}.`;
}

async function requireNoConfig(folder: string): Promise<void> {
  const existing = await findConfigFile(folder).catch((error: unknown) => {
    throw toConfigUsageError(error);
  });
  if (existing === null) return;
  throw new UsageError(
    `A configuration file already exists: ${JSON.stringify(existing)}. Edit it, or move it away first.`,
  );
}

/** Fails if the file exists, because another process may have created it since the check. */
async function writeNewConfig(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${reason}. Use another folder with --dir.`, {
      cause: error,
    });
  }
}

/** Reads the written file back, so that an invalid file is reported at once. */
async function trustWrittenConfig(folder: string, path: string): ReturnType<typeof evaluateConfig> {
  try {
    const contents = await readConfigFile(path);
    await createTrustStore().trust(folder, toTrustedContents(contents));
    return await evaluateConfig(contents);
  } catch (error) {
    throw toConfigUsageError(error);
  }
}

/** Answers given on the command line, which are not asked for. */
type InitAnswerFlags = {
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
  readonly mode?: string | undefined;
  readonly testCommand?: string | undefined;
  readonly format?: string | undefined;
};

type InitChoices = { readonly answers: InitAnswers; readonly format: InitFormat };

/** Asks for the answers that the command line leaves open; without a terminal the defaults apply. Null if cancelled. */
async function askInitQuestions(
  folder: string,
  flags: InitAnswerFlags,
  terminal: TerminalPrompt | null,
): Promise<InitChoices | null> {
  const { profile = 'pawl' } = flags;
  await resolveProfileOption(profile);
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
