import { existsSync } from 'node:fs';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { writeLinesAtomically } from '../../output/atomic-file.ts';
import { streamRecordMarkdown } from './markdown.ts';
import {
  loadSessionRecord,
  streamRecordJson,
  streamRecordLines,
  type SessionRecord,
} from '../../sessions/session-record.ts';
import { getFixturePath, generateTest } from './test-file.ts';
import { LineOutput } from '../../output/line-output.ts';
import { findSession } from '../../sessions/find-session.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { parseChoice } from '../../options/parse-options.ts';

export type ExportSessionOptions = Omit<SessionFlags, 'json'> & {
  readonly as: string;
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
};

export const exportFormats = ['json', 'jsonl', 'markdown', 'test'] as const;

/** Exports a session in one of several formats, to a file or to standard output. */
export function exportSession(id: string, options: ExportSessionOptions, io: CommandIo): Promise<ExitCode> {
  const format = parseChoice('format', options.as, exportFormats);
  const { out } = options;
  if (format === 'test' && out === undefined) {
    throw new UsageError(
      'A test consists of two files: specify the path with --out, for example --out session.test.ts.',
    );
  }
  return withSessionStore(options, async (store) => {
    const summary = await findSession(store, id, options.dir);
    const record = await loadSessionRecord(store, summary.id);
    if (format === 'test')
      await writeTestFiles(record, { out: out ?? '', force: options.force === true }, io);
    else if (out === undefined) {
      const output = new LineOutput(io.stdout);
      for await (const line of recordWriters[format](record)) {
        if (output.closed) break;
        await output.write(line);
      }
    } else {
      await writeLinesAtomically(out, recordWriters[format](record), options.force === true);
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
  const fixturePath = getFixturePath(out);
  const existing = [out, fixturePath].find((path) => !force && existsSync(path));
  if (existing !== undefined) {
    throw new UsageError(
      `Cannot write ${JSON.stringify(existing)}: the file already exists. Use --force to overwrite it.`,
    );
  }
  const { test, fixture } = await generateTest(record, out);
  await writeLinesAtomically(fixturePath, yieldText(fixture), force);
  await writeLinesAtomically(out, yieldText(test), force);
  io.stderr.write(`Wrote ${JSON.stringify(out)} and ${JSON.stringify(fixturePath)}.\n`);
}

async function* yieldText(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
