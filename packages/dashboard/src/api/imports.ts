import type { Session } from '@pawl/core';
import * as z from 'zod';
import { numberedEventSchema, sessionSchema, type NumberedEvent } from './shared-schemas.ts';

export const importQuerySchema = z.object({
  name: z.string().max(500).default('upload').describe('File name, used for runs without a name.'),
});

const auditVerdictSchema = z
  .object({
    step: z.int().describe('Step of the recorded run after which the verdict was reached.'),
    seq: z.nullable(z.int()).describe('Number of the event created from that step.'),
    severity: z.enum(['advise', 'block', 'ask', 'stop']),
    rule: z.string(),
    reason: z.string(),
    advice: z.string(),
    evidence: z.array(z.int()).describe('Numbers of the events that are evidence.'),
  })
  .meta({ id: 'AuditVerdict' });

export const importedRunSchema = z
  .object({
    name: z.string(),
    format: z.string(),
    model: z.nullable(z.string()),
    success: z.nullable(z.boolean()).describe('Whether the task was solved; null if unknown.'),
    created: sessionSchema,
    events: z.array(numberedEventSchema),
    audit: z.object({
      severity: z
        .enum(['none', 'advise', 'block', 'ask', 'stop'])
        .describe('Severity of the most severe verdict; none without verdicts.'),
      verdicts: z.array(auditVerdictSchema),
    }),
    cut: z.nullable(z.string()).describe('How the run differs from the recording; null if it does not.'),
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
