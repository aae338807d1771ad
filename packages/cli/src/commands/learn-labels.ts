import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import type { Judgement } from '../learn/score.ts';
import { UsageError } from '../usage-error.ts';

/** What somebody says of a run: whether it was solved, and whether it was stuck, from which step on. */
export type Label = { readonly resolved?: boolean | null | undefined; readonly judgement: Judgement | null };

const line = z
  .object({
    run: z.string().optional(),
    id: z.string().optional(),
    resolved: z.boolean().nullish(),
    success: z.boolean().nullish(),
    stuck: z.boolean().optional(),
    from: z.number().nullish(),
    from_step: z.number().nullish(),
  })
  .refine(({ run, id }) => (run ?? id) !== undefined, 'it does not name a run');

const bytesMax = 256 * 1024 * 1024;

/** Labels by the ids of runs, from lines of JSON or from one list. */
export async function readLabels(path: string): Promise<ReadonlyMap<string, Label>> {
  const rows = rowsIn(await textOf(path));
  const labels = new Map<string, Label>();
  for (const { place, value } of rows) {
    const read = line.safeParse(value);
    if (!read.success) {
      const why = read.error.issues[0]?.message ?? 'it is not a label';
      throw new UsageError(
        `${JSON.stringify(path)}, ${place}: ${why}. Expected {"run": "ID", "resolved": true}, with "stuck" and "from" if a person judged it.`,
      );
    }
    const { run, id, stuck, ...rest } = read.data;
    const from = rest.from ?? rest.from_step ?? 0;
    const resolved = rest.resolved === undefined ? rest.success : rest.resolved;
    labels.set(run ?? id ?? '', { resolved, judgement: stuck === undefined ? null : { stuck, from } });
  }
  return labels;
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw new Error(`it is larger than ${bytesMax / 1024 / 1024} MB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The labels in ${JSON.stringify(path)} cannot be read: ${why}`, { cause: error });
  }
}

type Row = { readonly place: string; readonly value: unknown };

function rowsIn(text: string): readonly Row[] {
  const whole = text.trimStart().startsWith('[') ? parsed(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value, index) => ({ place: `entry ${index + 1}`, value }));
  return text
    .split('\n')
    .flatMap((row, index) => (row.trim() === '' ? [] : [{ place: `line ${index + 1}`, value: parsed(row) }]));
}

/** What is no JSON is no label either, and is told as such. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
