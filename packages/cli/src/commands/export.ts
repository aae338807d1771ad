import { existsSync } from 'node:fs';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { writeLines } from '../whole-file.ts';
import { recordJson, recordLines } from './export-json.ts';
import { recordMarkdown } from './export-markdown.ts';
import { recordOf, type SessionRecord } from './export-record.ts';
import { fixtureBeside, testOf } from './export-test.ts';
import { LineOutput } from './line-output.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { oneOf } from '../one-of.ts';

export type ExportOptions = Omit<SessionFlags, 'json'> & {
  readonly as: string;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
};

export const exportForms = ['json', 'jsonl', 'markdown', 'test'] as const;

/** Writes a session in one of several forms, to a file or to standard output. */
export function exportSession(word: string, options: ExportOptions, io: Io): Promise<ExitCode> {
  const form = oneOf('form', options.as, exportForms);
  const { out } = options;
  if (form === 'test' && out === undefined) {
    throw new UsageError('A test is two files: say where with --out, for example --out session.test.ts.');
  }
  return withStore(options, async (store) => {
    const { id } = await sessionNamed(store, word, options.dir);
    const record = await recordOf(store, id);
    if (form === 'test') await writeTest(record, { out: out ?? '', force: options.force === true }, io);
    else if (out === undefined) {
      const output = new LineOutput(io.stdout);
      for await (const line of writers[form](record)) {
        if (output.closed) break;
        await output.write(line);
      }
    } else {
      await writeLines(out, writers[form](record), options.force === true);
      io.stderr.write(`Wrote ${JSON.stringify(out)}.\n`);
    }
    return exitCodes.finished;
  });
}

const writers = { json: recordJson, jsonl: recordLines, markdown: recordMarkdown } as const;

async function writeTest(
  record: SessionRecord,
  { out, force }: { readonly out: string; readonly force: boolean },
  io: Io,
): Promise<void> {
  const beside = fixtureBeside(out);
  const taken = [out, beside].find((path) => !force && existsSync(path));
  if (taken !== undefined) {
    throw new UsageError(
      `Cannot write ${JSON.stringify(taken)}: it is there already. Say --force to replace it.`,
    );
  }
  const { test, fixture } = await testOf(record, out);
  await writeLines(beside, one(fixture), force);
  await writeLines(out, one(test), force);
  io.stderr.write(`Wrote ${JSON.stringify(out)} and ${JSON.stringify(beside)}.\n`);
}

async function* one(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
