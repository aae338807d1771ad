import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createTelemetry } from '../src/index.ts';
import {
  counterDefinitions,
  gaugeDefinitions,
  histogramDefinitions,
  observedCounterDefinitions,
} from '../src/metric-definitions.ts';
import { parseExposition } from './exposition.ts';
import { exerciseAllMetrics } from './observed-worker.ts';

const readDocsFile = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

type GrafanaDashboard = {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
};
type AlertRules = {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};

/** The PromQL keywords in these files; any other name must be a metric or a label. */
const promqlWords = new Set(
  'sum max by rate increase deriv topk histogram_quantile and or label_values'.split(' '),
);
/** Labels that Prometheus itself adds. */
const prometheusLabels = ['job', 'instance', 'le'];

function listExpressionNames(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\$\w+/g, '');
  return (bare.match(/[a-zA-Z_][a-zA-Z0-9_]*/g) ?? []).filter((name) => !promqlWords.has(name));
}

describe('the observability files', () => {
  const telemetry = createTelemetry({ metrics: { prometheus: true } });
  const knownNames = new Set<string>(prometheusLabels);
  const families: string[] = [];

  beforeAll(async () => {
    await exerciseAllMetrics(telemetry);
    for (const family of parseExposition(await telemetry.prometheus()).values()) {
      families.push(family.name);
      for (const { name, labels } of family.samples) {
        knownNames.add(name);
        for (const label of Object.keys(labels)) knownNames.add(label);
      }
    }
  });

  afterAll(() => telemetry.shutdown());

  it('are tested with samples of every metric', () => {
    const names = [counterDefinitions, histogramDefinitions, gaugeDefinitions, observedCounterDefinitions]
      .flatMap((kind) => Object.values(kind))
      .map(({ name }) => name.replaceAll('.', '_'));
    const reported = new Set(families.map((name) => name.replace(/_total$/, '')));
    expect(reported).toEqual(new Set([...names, 'target_info']));
  });

  it('query only existing metrics and labels in the dashboard', () => {
    const { panels, templating } = JSON.parse(
      readDocsFile('observability/grafana-dashboard.json'),
    ) as GrafanaDashboard;
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(20);
    const queries = [
      ...expressions,
      JSON.stringify(templating.list.map(({ query }) => query)).match(/label_values\(([^)]*)\)/)?.[1] ?? '',
    ];
    expect(queries.flatMap(listExpressionNames).filter((name) => !knownNames.has(name))).toEqual([]);
  });

  it('query only existing metrics and labels in the alerts', () => {
    const { groups } = parse(readDocsFile('observability/alerts.yaml')) as AlertRules;
    const rules = groups.flatMap((group) => group.rules);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(
      rules.flatMap(({ expr }) => listExpressionNames(expr)).filter((name) => !knownNames.has(name)),
    ).toEqual([]);
  });

  it('document every metric by its Prometheus name', () => {
    const page = readDocsFile('observability.md');
    expect(families.filter((name) => name !== 'target_info' && !page.includes(`\`${name}\``))).toEqual([]);
  });
});
