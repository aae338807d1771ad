import { existsSync } from 'node:fs';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { UsageError } from '../usage-error.ts';
import { writeLinesAtomically } from '../atomic-file.ts';
import { streamRecordJson, streamRecordLines } from './export-json.ts';
import { streamRecordMarkdown } from './export-markdown.ts';
import { loadSessionRecord, type SessionRecord } from './export-record.ts';
import { getFixturePath, generateTest } from './export-test.ts';
import { LineOutput } from './line-output.ts';
import { findSession } from './find-session.ts';
import { withSessionStore, type SessionFlags } from './session-store.ts';
import { parseChoice } from '../parse-choice.ts';

export type ExportSessionOptions = Omit<SessionFlags, 'json'> & {
  readonly as: string;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
};

export const exportFormats = ['json', 'jsonl', 'markdown', 'test'] as const;

/** Exports a session in one of several formats, to a file or to standard output. */
export function exportSession(word: string, options: ExportSessionOptions, io: CommandIo): Promise<ExitCode> {
  const form = parseChoice('form', options.as, exportFormats);
  const { out } = options;
  if (form === 'test' && out === undefined) {
    throw new UsageError('A test is two files: say where with --out, for example --out session.test.ts.');
  }
  return withSessionStore(options, async (store) => {
    const { id } = await findSession(store, word, options.dir);
    const record = await loadSessionRecord(store, id);
    if (form === 'test') await writeTestFiles(record, { out: out ?? '', force: options.force === true }, io);
    else if (out === undefined) {
      const output = new LineOutput(io.stdout);
      for await (const line of recordWriters[form](record)) {
        if (output.closed) break;
        await output.write(line);
      }
    } else {
      await writeLinesAtomically(out, recordWriters[form](record), options.force === true);
      io.stderr.write(`Wrote ${JSON.stringify(out)}.\n`);
    }
    return exitCodes.finished;
  });
}

const recordWriters = {
  json: streamRecordJson,
  jsonl: streamRecordLines,
  markdown: streamRecordMarkdown,
} as const;

async function writeTestFiles(
  record: SessionRecord,
  { out, force }: { readonly out: string; readonly force: boolean },
  io: CommandIo,
): Promise<void> {
  const beside = getFixturePath(out);
  const taken = [out, beside].find((path) => !force && existsSync(path));
  if (taken !== undefined) {
    throw new UsageError(
      `Cannot write ${JSON.stringify(taken)}: it is there already. Say --force to replace it.`,
    );
  }
  const { test, fixture } = await generateTest(record, out);
  await writeLinesAtomically(beside, yieldText(fixture), force);
  await writeLinesAtomically(out, yieldText(test), force);
  io.stderr.write(`Wrote ${JSON.stringify(out)} and ${JSON.stringify(beside)}.\n`);
}

async function* yieldText(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
