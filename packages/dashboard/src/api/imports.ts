import type { Session } from '@pawl/core';
import * as z from 'zod';
import { numberedEventSchema, sessionSchema, type NumberedEvent } from './shared-schemas.ts';

export const importQuerySchema = z.object({
  name: z.string().max(500).default('upload').describe('The name of the file, for runs that have none.'),
});

const auditVerdictSchema = z
  .object({
    step: z.int().describe('After which step of the recorded run.'),
    seq: z.nullable(z.int()).describe('The event which that step became.'),
    level: z.enum(['nudge', 'block', 'ask', 'stop']),
    rule: z.string(),
    reason: z.string(),
    advice: z.string(),
    evidence: z.array(z.int()).describe('The events that prove it.'),
  })
  .meta({ id: 'AuditVerdict' });

export const importedRunSchema = z
  .object({
    name: z.string(),
    format: z.string(),
    model: z.nullable(z.string()),
    success: z.nullable(z.boolean()).describe('Whether the task was solved, where that is known.'),
    created: sessionSchema,
    events: z.array(numberedEventSchema),
    audit: z.object({
      level: z
        .enum(['fine', 'nudge', 'block', 'ask', 'stop'])
        .describe('The gravest verdict that there would have been.'),
      verdicts: z.array(auditVerdictSchema),
    }),
    cut: z.nullable(z.string()).describe('What is not as it was recorded, if anything is not.'),
  })
  .meta({ id: 'ImportedRun' });

export type ImportedRun = Omit<z.infer<typeof importedRunSchema>, 'created' | 'events'> & {
  readonly created: Session;
  readonly events: readonly NumberedEvent[];
};

export const importResultSchema = z
  .object({
    runs: z.array(importedRunSchema),
    problems: z.array(z.object({ line: z.nullable(z.int()), message: z.string() })),
  })
  .meta({ id: 'Imports' });

export type ImportResult = {
  readonly runs: readonly ImportedRun[];
  readonly problems: readonly { readonly line: number | null; readonly message: string }[];
};
