import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { ChartError, readChart, type ModeChart } from '@pawl/core';
import { codeOf } from '../search/system-error.ts';
import { ChartFileError } from './chart-file-error.ts';
import { readChartText } from './chart-text.ts';

/** More than the largest chart anybody would write by hand. */
export const chartFileBytesMax: number = 256 * 1024;

/** A chart of modes from a file: `.json`, `.yaml` or `.yml`. Throws one `ChartFileError` that says what is wrong where. */
export async function readChartFile(path: string): Promise<ModeChart> {
  const kind = kindOf(path);
  const text = await readText(path);
  const read = readChartText(text, kind);
  if ('problem' in read) throw new ChartFileError('syntax', path, read);
  try {
    return readChart(read.value);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    const line = read.lineOf(error.path);
    throw new ChartFileError('invalid', path, { problem: error.message, line, cause: error });
  }
}

function kindOf(path: string): 'json' | 'yaml' {
  const extension = extname(path).toLowerCase();
  if (extension === '.json') return 'json';
  if (extension === '.yaml' || extension === '.yml') return 'yaml';
  const problem = 'charts are read from .json, .yaml and .yml files. Rename it to say which it is.';
  throw new ChartFileError('unknown-kind', path, { problem });
}

/** A pipe that nobody writes to would otherwise be waited for. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK;

async function readText(path: string): Promise<string> {
  try {
    await using file = await open(path, openFlags);
    const bytes = await readBytes(path, file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw error instanceof ChartFileError ? error : unreadable(path, error);
  }
}

async function readBytes(path: string, file: FileHandle): Promise<Uint8Array> {
  if (!(await file.stat()).isFile()) {
    throw new ChartFileError('not-a-file', path, {
      problem: 'this is not a file. Name the file with the chart.',
    });
  }
  const buffer = Buffer.alloc(chartFileBytesMax + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  const problem = `it has more than ${chartFileBytesMax} bytes, so it is hardly a chart. Shorten the prompts in it.`;
  throw new ChartFileError('too-large', path, { problem });
}

function unreadable(path: string, error: unknown): ChartFileError {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ChartFileError('missing', path, {
      problem: 'there is no such file. Check the spelling.',
      cause: error,
    });
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new ChartFileError('syntax', path, {
      problem: 'this is not text in UTF-8. Save it as such.',
      cause: error,
    });
  }
  const problem = 'it cannot be read. Give yourself the right to read it, or name another.';
  return new ChartFileError('unreadable', path, { problem, cause: error });
}
