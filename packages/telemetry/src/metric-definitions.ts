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
    description: 'Changes of state, by edge.',
  },
  verdicts: { name: 'pawl.verdicts', unit: '{verdict}', description: 'Verdicts of the governor.' },
  verdictOutcomes: {
    name: 'pawl.verdict.outcomes',
    unit: '{verdict}',
    description: 'What came of what was done about a verdict.',
  },
  tokens: { name: 'pawl.tokens', unit: '{token}', description: 'Tokens that models read and wrote.' },
  cost: { name: 'pawl.cost', unit: '1', description: 'What models cost, in the money of the prices.' },
  retries: { name: 'pawl.retries', unit: '{retry}', description: 'What failed and was tried again.' },
  paging: { name: 'pawl.paging.runs', unit: '{run}', description: 'How often room was made.' },
  freedTokens: {
    name: 'pawl.paging.freed_tokens',
    unit: '{token}',
    description: 'Tokens that making room has freed.',
  },
  movedEntries: {
    name: 'pawl.paging.moved_entries',
    unit: '{entry}',
    description: 'Entries that went from memory to storage.',
  },
  leaseLosses: {
    name: 'pawl.lease.losses',
    unit: '{lease}',
    description: 'Sessions that this worker lost while it worked on them.',
  },
  workerReports: {
    name: 'pawl.worker.reports',
    unit: '{report}',
    description: 'What became of the sessions that this worker took up.',
  },
} as const satisfies Record<string, MetricDefinition>;

export const histogramDefinitions = {
  modelCall: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'How long a request to a model took.',
    boundaries: histogramBuckets.call,
  },
  firstChunk: {
    name: 'gen_ai.client.operation.time_to_first_chunk',
    unit: 's',
    description: 'How long it took until the first piece of a reply was there.',
    boundaries: histogramBuckets.call,
  },
  toolCall: {
    name: 'gen_ai.execute_tool.duration',
    unit: 's',
    description: 'How long a tool call took.',
    boundaries: histogramBuckets.call,
  },
  turn: {
    name: 'gen_ai.invoke_agent.duration',
    unit: 's',
    description: 'How long a turn took.',
    boundaries: histogramBuckets.agent,
  },
  hooks: {
    name: 'pawl.hooks.duration',
    unit: 's',
    description: 'How long hooks took.',
    boundaries: histogramBuckets.call,
  },
  permission: {
    name: 'pawl.permission.wait',
    unit: 's',
    description: 'How long a call waited for a decision.',
    boundaries: histogramBuckets.person,
  },
} as const satisfies Record<string, HistogramDefinition>;

export const gaugeDefinitions = {
  sessions: {
    name: 'pawl.sessions',
    unit: '{session}',
    description: 'Sessions that this process holds, by state.',
  },
  storedSessions: {
    name: 'pawl.stored_sessions',
    unit: '{session}',
    description: 'Sessions in the store, by state.',
  },
  queue: {
    name: 'pawl.queue.sessions',
    unit: '{session}',
    description: 'Sessions in the queue, by where they stand there.',
  },
  parked: {
    name: 'pawl.queue.parked',
    unit: '{session}',
    description: 'Sessions that no worker takes up until somebody has looked at them.',
  },
  loopDelayMean: {
    name: 'nodejs.eventloop.delay.mean',
    unit: 's',
    description: 'How late the event loop was, on average.',
  },
  loopDelayP99: {
    name: 'nodejs.eventloop.delay.p99',
    unit: 's',
    description: 'How late the event loop was, at the 99th percentile.',
  },
  loopDelayMax: {
    name: 'nodejs.eventloop.delay.max',
    unit: 's',
    description: 'How late the event loop was at most.',
  },
  memory: {
    name: 'process.memory.usage',
    unit: 'By',
    description: 'Memory that this process takes.',
  },
} as const satisfies Record<string, MetricDefinition>;

export const observedCounterDefinitions = {
  cpu: {
    name: 'process.cpu.time',
    unit: 's',
    description: 'Processor time that this process has used.',
  },
} as const satisfies Record<string, MetricDefinition>;
