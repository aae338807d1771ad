/** One sample line: name, labels and value. */
export type ExpositionSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export type MetricFamily = {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ExpositionSample[];
};

type OpenFamily = { name: string; type: string; help: string; samples: ExpositionSample[] };

const nameChars = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/**
 * Parses the Prometheus text format, version 0.0.4, strictly: every line must match the grammar, every sample must follow
 * its family, and histograms must add up. Throws at the first error.
 */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  const families = new Map<string, OpenFamily>();
  let current: OpenFamily | null = null;
  const series = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('The last line has no line end.');
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) {
      current = parseComment(line, families, current);
      continue;
    }
    const sample = parseSample(line);
    if (current === null || !isSampleOfFamily(sample.name, current))
      throw new Error(`${line} belongs to no family.`);
    const key = JSON.stringify([
      sample.name,
      Object.entries(sample.labels)
        .map(String)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ]);
    if (series.has(key)) throw new Error(`${line} is a duplicate.`);
    series.add(key);
    current.samples.push(sample);
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function parseComment(
  line: string,
  families: Map<string, OpenFamily>,
  current: OpenFamily | null,
): OpenFamily | null {
  const match = new RegExp(`^# (HELP|TYPE) (${nameChars})(?: (.*))?$`).exec(line);
  if (match === null) {
    if (/^# (?:HELP|TYPE)\b/.test(line)) throw new Error(`${line} is not a valid comment.`);
    return current;
  }
  const [, kind, name = '', rest = ''] = match;
  const family = families.get(name) ?? { name, type: 'untyped', help: '', samples: [] };
  if (family.samples.length > 0) throw new Error(`${line} follows samples of ${name}.`);
  families.set(name, family);
  if (kind === 'HELP') {
    if (/\\(?![\\n])/.test(rest)) throw new Error(`${line} has an unknown escape.`);
    family.help = rest;
  } else {
    if (!types.includes(rest)) throw new Error(`${line} has no known type.`);
    family.type = rest;
  }
  return family;
}

function isSampleOfFamily(name: string, { name: family, type }: OpenFamily): boolean {
  return type === 'histogram'
    ? ['_bucket', '_sum', '_count'].some((end) => name === family + end)
    : name === family;
}

function parseSample(line: string): ExpositionSample {
  const start = new RegExp(`^${nameChars}`).exec(line);
  if (start === null) throw new Error(`${line} has no name.`);
  const [name] = start;
  const { labels, rest } = parseLabels(line, line.slice(name.length));
  const match = /^ (\S+)(?: (-?\d+))?$/.exec(rest);
  if (match === null) throw new Error(`${line} has no value.`);
  return { name, labels, value: parseValue(line, match[1] ?? '') };
}

function parseLabels(
  line: string,
  text: string,
): { readonly labels: Readonly<Record<string, string>>; readonly rest: string } {
  if (!text.startsWith('{')) return { labels: {}, rest: text };
  const labels: Record<string, string> = {};
  let rest = text.slice(1);
  while (!rest.startsWith('}')) {
    const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|(?=\}))/.exec(rest);
    if (match === null) throw new Error(`${line} has invalid labels.`);
    const [whole, name = '', value = ''] = match;
    if (Object.hasOwn(labels, name)) throw new Error(`${line} has ${name} twice.`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    rest = rest.slice(whole.length);
  }
  return { labels, rest: rest.slice(1) };
}

function parseValue(line: string, text: string): number {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  if (text === 'NaN') return NaN;
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) throw new Error(`${line} has no number.`);
  return Number(text);
}

function checkFamily({ name, type, samples }: OpenFamily): void {
  if (type === 'counter' && !samples.every(({ value }) => value >= 0))
    throw new Error(`${name} is negative.`);
  if (type !== 'histogram') return;
  const groups = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: null }));
  for (const group of groups.values()) checkHistogram(name, group);
}

function checkHistogram(name: string, group: readonly ExpositionSample[]): void {
  const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => parseValue(name, labels['le'] ?? ''));
  const counts = buckets.map(({ value }) => value);
  const count = group.find((sample) => sample.name === `${name}_count`)?.value;
  if (!isRising(bounds) || !isRising(counts)) throw new Error(`The buckets of ${name} are not in order.`);
  if (bounds.at(-1) !== Infinity || counts.at(-1) !== count)
    throw new Error(`The buckets of ${name} do not add up.`);
  if (!group.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name} has no sum.`);
}

/** The sum of all samples with this name and these labels; 0 if there are none. */
export function sumSamples(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

function isRising(values: readonly number[]): boolean {
  return values.every((value, at) => value >= (values[at - 1] ?? -Infinity));
}

const otherUnits =
  /_(?:milliseconds?|microseconds?|nanoseconds?|minutes?|hours?|days?|bits?|kilobytes?|megabytes?|percent|celsius|[mnu]?s|sec|ms|kb|mb)(?=_|$)/;

/** What breaks the naming conventions of Prometheus, by the rules that `promtool check metrics` has. */
const namingProblems: readonly (readonly [string, (family: MetricFamily) => boolean])[] = [
  ['has no help', ({ help }) => help === ''],
  ['has no type', ({ type }) => type === 'untyped'],
  [
    'is a counter that does not end in _total',
    ({ name, type }) => type === 'counter' && !name.endsWith('_total'),
  ],
  ['ends in _total but is no counter', ({ name, type }) => type !== 'counter' && name.endsWith('_total')],
  ['ends like a sample of a histogram', ({ name }) => /_(?:bucket|count|sum)$/.test(name)],
  ['contains a type', ({ name }) => /_(?:counter|gauge|histogram|summary)(?=_|$)/.test(name)],
  ['is not in a base unit', ({ name }) => otherUnits.test(name)],
  [
    'is not in snake case',
    (family) => [family.name, ...listLabels(family)].some((name) => !/^[a-z][a-z0-9_]*$/.test(name)),
  ],
  ['has the label of a bucket', (family) => family.type !== 'histogram' && listLabels(family).has('le')],
];

function listLabels({ samples }: MetricFamily): ReadonlySet<string> {
  return new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
}

export function lintMetricNames(families: ReadonlyMap<string, MetricFamily>): readonly string[] {
  return [...families.values()].flatMap((family) =>
    namingProblems.flatMap(([problem, applies]) => (applies(family) ? [`${family.name} ${problem}`] : [])),
  );
}
