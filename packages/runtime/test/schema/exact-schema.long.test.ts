import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const schemas = join(import.meta.dirname, '../../src/schema');
const core = fileURLToPath(import.meta.resolve('@pawl/core'));
const governor = dirname(fileURLToPath(import.meta.resolve('@pawl/governor')));
const options = join(import.meta.dirname, '../../../../tsconfig.base.json');
const zod = dirname(fileURLToPath(import.meta.resolve('zod')));
const typescript = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));

/* A copy of the schemas, compiled beside a core of the test's choice. */
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-same-'));
  await cp(schemas, join(folder, 'schema'), { recursive: true });
  await cp(join(schemas, '../text'), join(folder, 'text'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(zod, join(folder, 'node_modules/zod'), 'junction');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The lines with an error, as `file:line`, when the schemas and more are compiled with these types as core's. */
async function compileWithCore(coreFile: string, include: readonly string[]): Promise<readonly string[]> {
  const config = join(folder, `tsconfig.${include.join('.')}.json`);
  const compilerOptions = {
    types: [],
    paths: {
      '@pawl/core': [coreFile],
      '@pawl/core/*': [join(dirname(core), '*-entry.ts')],
      '@pawl/governor/*': [join(governor, '*-entry.ts')],
    },
  };
  await writeFile(config, JSON.stringify({ extends: options, compilerOptions, include }));
  const tsc = [join(typescript, 'bin/tsc'), '-p', config, '--pretty', 'false'];
  const output = await promisify(execFile)(process.execPath, tsc, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  return [...output.matchAll(/^([\w./-]+)\((\d+),\d+\): error/gm)].map(([, file, line]) => `${file}:${line}`);
}

/** The files of the schemas that do not compile when core says more than it does. */
async function findBrokenSchemas(name: string, types: string): Promise<readonly string[]> {
  const changed = join(folder, `${name}.ts`);
  await writeFile(changed, `export * from ${JSON.stringify(core)};\n${types}\n`);
  const errors = await compileWithCore(changed, ['schema', `${name}.ts`]);
  return [...new Set(errors.map((error) => error.replace(/:\d+$/, '')))];
}

describe('the schemas', () => {
  it('do not compile with a new event in core until it has a schema and an example [LOOM-69]', async () => {
    const broken = await findBrokenSchemas(
      'new-event',
      `import type { Event as Known } from ${JSON.stringify(core)};
       export type Event = Known | { readonly type: 'sneeze'; readonly at: number };
       export type EventType = Event['type'];`,
    );
    expect(broken).toEqual(expect.arrayContaining(['schema/events.ts']));
  });

  it('do not compile with a new state in core [LOOM-69]', async () => {
    const broken = await findBrokenSchemas(
      'new-state',
      `import type { TurnState as Known, TurnStatus as Name } from ${JSON.stringify(core)};
       export type TurnState = Known | { readonly status: 'asleep'; readonly since: number };
       export type TurnStatus = Name | 'asleep';`,
    );
    expect(broken).toEqual(expect.arrayContaining(['schema/states.ts']));
  });

  it('compile only if they are identical to the types', async () => {
    await writeFile(join(folder, 'cases.ts'), [...casePreamble, ...cases.map(formatCaseLine)].join('\n'));
    const errors = await compileWithCore(core, ['schema', 'cases.ts']);
    const differing = cases.flatMap(([same], index) =>
      same ? [] : [`cases.ts:${casePreamble.length + index + 1}`],
    );
    expect(errors).toEqual(differing);
  });
});

const casePreamble = [
  `import type { Json } from '@pawl/core';`,
  `import * as z from 'zod';`,
  `import { anyJsonSchema } from './schema/json-value.ts';`,
  `import { createListSchema } from './schema/parts.ts';`,
  `import type { ExactSchema } from './schema/exact-schema.ts';`,
];

/** Whether they are the same, the schema, and the type. */
const cases: readonly (readonly [same: boolean, schema: string, type: string])[] = [
  [true, 'z.strictObject({ a: z.string() })', '{ readonly a: string }'],
  [true, 'z.strictObject({ a: z.string(), b: z.int() })', '{ a: string } & { b: number }'],
  [true, 'z.strictObject({ a: createListSchema(z.string()) })', '{ readonly a: readonly string[] }'],
  [true, 'z.strictObject({ a: z.exactOptional(z.string()) })', '{ a?: string }'],
  [true, 'z.strictObject({ a: anyJsonSchema })', '{ a: Json }'],
  [true, 'z.union([z.strictObject({ a: z.literal(1) }), z.null()])', 'null | { a: 1 }'],
  [false, 'z.strictObject({ a: z.string() })', '{ a: number }'],
  [false, 'z.strictObject({ a: z.string() })', '{ a: string; b?: string }'],
  [false, 'z.strictObject({ a: z.string(), b: z.exactOptional(z.string()) })', '{ a: string }'],
  [false, 'z.strictObject({ a: z.string() })', '{ a?: string }'],
  [false, 'z.strictObject({ a: z.exactOptional(z.string()) })', '{ a: string }'],
  [false, 'z.strictObject({ a: z.optional(z.string()) })', '{ a?: string }'],
  [false, 'z.strictObject({ a: z.string().nullable() })', '{ a: string }'],
  [false, 'z.strictObject({ a: z.enum(["x", "y"]) })', '{ a: "x" }'],
  [false, 'z.strictObject({ a: z.enum(["x"]) })', '{ a: "x" | "y" }'],
  [false, 'z.strictObject({ a: z.string() })', '{ a: "x" }'],
  [
    false,
    'z.strictObject({ a: createListSchema(z.strictObject({ b: z.string() })) })',
    '{ a: { b: string; c?: 1 }[] }',
  ],
  [false, 'z.union([z.strictObject({ a: z.literal(1) }), z.null()])', '{ a: 1 }'],
  [false, 'z.strictObject({ a: z.unknown() })', '{ a: Json }'],
  [false, 'z.strictObject({ a: z.any() })', '{ a: string }'],
  [false, 'z.strictObject({ a: anyJsonSchema })', '{ a: unknown }'],
];

function formatCaseLine([, schema, type]: (typeof cases)[number], index: number): string {
  return `const s${index} = ${schema}; export const c${index}: ExactSchema<typeof s${index}, ${type}> = s${index};`;
}
