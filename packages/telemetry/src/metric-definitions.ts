import { histogramBuckets } from './semconv.ts';

type MetricDefinition = {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
};

type HistogramDefinition = MetricDefinition & { readonly boundaries: readonly number[] };

/** All metrics by instrument type. docs/observability.md lists them with their labels. */
export const counterDefinitions = {
  transitions: {
    name: 'pawl.transitions',
    unit: '{transition}',
    description: 'State transitions, by edge.',
  },
  verdicts: { name: 'pawl.verdicts', unit: '{verdict}', description: 'Verdicts of the governor.' },
  verdictOutcomes: {
    name: 'pawl.verdict.outcomes',
    unit: '{verdict}',
    description: 'Outcomes of the responses to verdicts.',
  },
  tokens: {
    name: 'pawl.tokens',
    unit: '{token}',
    description: 'Input and output tokens, including compaction.',
  },
  cost: {
    name: 'pawl.cost',
    unit: '1',
    description: 'Cost of model calls, in the currency of the configured prices.',
  },
  retries: { name: 'pawl.retries', unit: '{retry}', description: 'Retries after failures.' },
  paging: { name: 'pawl.paging.runs', unit: '{run}', description: 'Paging runs.' },
  freedTokens: {
    name: 'pawl.paging.freed_tokens',
    unit: '{token}',
    description: 'Tokens freed by paging.',
  },
  movedEntries: {
    name: 'pawl.paging.moved_entries',
    unit: '{entry}',
    description: 'Entries moved from working memory to storage.',
  },
  leaseLosses: {
    name: 'pawl.lease.losses',
    unit: '{lease}',
    description: 'Leases that this worker lost while it ran a session.',
  },
  workerReports: {
    name: 'pawl.worker.reports',
    unit: '{report}',
    description: 'Reports of this worker about its sessions, by kind.',
  },
} as const satisfies Record<string, MetricDefinition>;

export const histogramDefinitions = {
  modelCall: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'Duration of model requests.',
    boundaries: histogramBuckets.call,
  },
  tokenUsage: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Input and output tokens of each model call.',
    boundaries: histogramBuckets.tokens,
  },
  firstChunk: {
    name: 'gen_ai.client.operation.time_to_first_chunk',
    unit: 's',
    description: 'Time to the first chunk of a reply.',
    boundaries: histogramBuckets.call,
  },
  toolCall: {
    name: 'gen_ai.execute_tool.duration',
    unit: 's',
    description: 'Duration of tool calls.',
    boundaries: histogramBuckets.call,
  },
  turn: {
    name: 'gen_ai.invoke_agent.duration',
    unit: 's',
    description: 'Duration of turns.',
    boundaries: histogramBuckets.agent,
  },
  hooks: {
    name: 'pawl.hooks.duration',
    unit: 's',
    description: 'Duration of hooks.',
    boundaries: histogramBuckets.call,
  },
  permission: {
    name: 'pawl.permission.wait',
    unit: 's',
    description: 'Time that calls waited for a permission decision.',
    boundaries: histogramBuckets.person,
  },
} as const satisfies Record<string, HistogramDefinition>;

export const gaugeDefinitions = {
  sessions: {
    name: 'pawl.sessions',
    unit: '{session}',
    description: 'Sessions in this process, by state.',
  },
  storedSessions: {
    name: 'pawl.stored_sessions',
    unit: '{session}',
    description: 'Sessions in the store, by state.',
  },
  queue: {
    name: 'pawl.queue.sessions',
    unit: '{session}',
    description: 'Sessions in the queue, by job state.',
  },
  parked: {
    name: 'pawl.queue.parked',
    unit: '{session}',
    description: 'Parked sessions, which no worker runs until they are retried.',
  },
  loopDelayMean: {
    name: 'nodejs.eventloop.delay.mean',
    unit: 's',
    description: 'Mean event loop delay.',
  },
  loopDelayP99: {
    name: 'nodejs.eventloop.delay.p99',
    unit: 's',
    description: 'Event loop delay, 99th percentile.',
  },
  loopDelayMax: {
    name: 'nodejs.eventloop.delay.max',
    unit: 's',
    description: 'Maximum event loop delay.',
  },
  memory: {
    name: 'process.memory.usage',
    unit: 'By',
    description: 'Resident memory of this process.',
  },
} as const satisfies Record<string, MetricDefinition>;

export const observedCounterDefinitions = {
  cpu: {
    name: 'process.cpu.time',
    unit: 's',
    description: 'CPU time of this process.',
  },
} as const satisfies Record<string, MetricDefinition>;
