import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import type { StuckJudgment } from '../learn/detector-score.ts';
import { UsageError } from '../usage-error.ts';

/** A person's label for a run: whether it was solved, and whether it was stuck, from which step on. */
export type RunLabel = {
  readonly resolved?: boolean | null | undefined;
  readonly judgement: StuckJudgment | null;
};

const labelSchema = z
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

const maxLabelBytes = 256 * 1024 * 1024;

/** Reads labels by run id, from JSON lines or from one JSON array. */
export async function readLabels(path: string): Promise<ReadonlyMap<string, RunLabel>> {
  const rows = parseLabelEntries(await readLabelText(path));
  const labels = new Map<string, RunLabel>();
  for (const { location, value } of rows) {
    const parsed = labelSchema.safeParse(value);
    if (!parsed.success) {
      const reason = parsed.error.issues[0]?.message ?? 'it is not a label';
      throw new UsageError(
        `${JSON.stringify(path)}, ${location}: ${reason}. Expected {"run": "ID", "resolved": true}, optionally with "stuck" and "from".`,
      );
    }
    const { run, id, stuck, ...rest } = parsed.data;
    const from = rest.from ?? rest.from_step ?? 0;
    const resolved = rest.resolved === undefined ? rest.success : rest.resolved;
    labels.set(run ?? id ?? '', { resolved, judgement: stuck === undefined ? null : { stuck, from } });
  }
  return labels;
}

async function readLabelText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxLabelBytes) throw new Error(`it is larger than ${maxLabelBytes / 1024 / 1024} MB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read the labels in ${JSON.stringify(path)}: ${reason}`, { cause: error });
  }
}

type LabelEntry = { readonly location: string; readonly value: unknown };

function parseLabelEntries(text: string): readonly LabelEntry[] {
  const whole = text.trimStart().startsWith('[') ? parseJsonOrUndefined(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value, index) => ({ location: `entry ${index + 1}`, value }));
  return text
    .split('\n')
    .flatMap((row, index) =>
      row.trim() === '' ? [] : [{ location: `line ${index + 1}`, value: parseJsonOrUndefined(row) }],
    );
}

/** Text that is not JSON is reported as an invalid label. */
function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
