import * as z from 'zod';

export const fleetStatusSchema = z
  .object({
    store: z.object({ kind: z.enum(['sqlite', 'redis', 'memory']), where: z.nullable(z.string()) }),
    workers: z
      .array(z.object({ name: z.string(), tenant: z.string(), idleMs: z.nullable(z.number()) }))
      .describe('Workers connected to the queues; empty without Redis.'),
    queues: z.array(
      z.object({
        tenant: z.string(),
        waiting: z.int(),
        delayed: z.int(),
        active: z.int(),
        stalled: z.int(),
      }),
    ),
    parked: z.array(z.object({ session: z.string(), reason: z.string(), at: z.number() })),
    leases: z
      .array(
        z.object({ session: z.string(), owner: z.string(), state: z.enum(['alive', 'gone', 'unknown']) }),
      )
      .describe('Owners of the running sessions.'),
    held: z.array(z.string()).describe('Ids of the sessions that this server runs.'),
    rates: z.object({
      events: z.number().describe('Events per minute, averaged over the last five minutes.'),
      modelCalls: z.number(),
      toolCalls: z.number(),
      tokens: z.number(),
    }),
  })
  .meta({ id: 'Fleet' });

export type FleetStatus = z.infer<typeof fleetStatusSchema>;
