import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkRequirementIds, listProofs } from '../conformance.ts';
import { parseRequirementIds } from '../conformance/ids.ts';
import { renderConformancePage } from '../conformance/page.ts';
import { readRequirements, originSystems } from '../conformance/requirements.ts';
import { listTestTitles } from '../conformance/titles.ts';
import { repositoryRoot } from '../source-files.ts';

// The ids in these samples are concatenated, so that this file does not claim to demonstrate them.
const createSampleTitle = (inside: string): string => `waits [${inside}]`;

describe('the generated pages', () => {
  it('are up to date with the sources', () => {
    // Throws with the name of the stale page and the command that regenerates it.
    execFileSync(process.execPath, ['scripts/docs.ts', '--check'], { cwd: repositoryRoot });
  });
});

describe('the list of requirements', () => {
  it('has unique ids, each of a known system', () => {
    const ids = readRequirements().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !originSystems.some(({ prefix }) => id.startsWith(`${prefix}-`)))).toEqual([]);
  });
});

describe('ids in a title', () => {
  it('are in square brackets, separated by commas', () => {
    expect(parseRequirementIds(createSampleTitle('LOOM-43'))).toEqual(['LOOM-43']);
    expect(
      parseRequirementIds(`${createSampleTitle('LOOM-43, RO-01')} then ${createSampleTitle('NEX-100')}`),
    ).toEqual(['LOOM-43', 'RO-01', 'NEX-100']);
  });

  it('may be a range', () => {
    expect(parseRequirementIds(createSampleTitle('LOOM-98..101'))).toEqual([
      'LOOM-98',
      'LOOM-99',
      'LOOM-100',
      'LOOM-101',
    ]);
    expect(parseRequirementIds(createSampleTitle('SAV-08..SAV-10'))).toEqual(['SAV-08', 'SAV-09', 'SAV-10']);
  });

  it('are ignored without brackets, and other brackets are ordinary text', () => {
    expect(parseRequirementIds('waits as LOOM-43 asks')).toEqual([]);
    expect(parseRequirementIds('keeps items[0] and [a, b]')).toEqual([]);
  });

  it('are rejected next to other text or as a descending range', () => {
    expect(() => parseRequirementIds(createSampleTitle('LOOM-43 and more'))).toThrow(
      '"LOOM-43 and more" is no requirement id',
    );
    expect(() => parseRequirementIds(createSampleTitle('LOOM-43..40'))).toThrow('no range');
    expect(() => parseRequirementIds(createSampleTitle('LOOM-43..SAV-50'))).toThrow('no range');
  });
});

describe('titles in a source file', () => {
  it('come from every form of test', () => {
    const source = [
      `describe('a', () => { it("b", () => {}); test.concurrent(\`c \${1 + 1} c\`, () => {}); });`,
      `it('d ' + 'd', () => {});`,
      `it.each([['e', 1], ['f', 2]] as const)('g %s', () => {});`,
      `it.for([{ name: 'h' }])('i $name', () => {});`,
    ].join('\n');
    const titles = ['a', 'b', 'c ${…} c', 'd d', 'g %s', 'e', 'f', 'i $name', 'h'];
    expect(listTestTitles(source)).toEqual(titles);
  });

  it('include the texts of a table that is defined elsewhere in the file', () => {
    const source = [
      `const rows = [{ name: 'a' }] as const;`,
      `describe.each(rows)('b', () => {});`,
      `for (const { name } of rows) it(\`c \${name}\`, () => {});`,
      `for (const { name } of rows) console.log(name);`,
    ].join('\n');
    expect(listTestTitles(source)).toEqual(['b', 'a', 'a', 'c ${…}']);
  });

  it('exclude skipped tests, todo tests, comments and other calls', () => {
    const source = `it.skip('a', () => {}); it.todo('b'); it.skipIf(x)('c', () => {}); /* it('d') */ visit('e'); "it('f')"`;
    expect(listTestTitles(source)).toEqual([]);
  });
});

describe('the conformance page', () => {
  const requirements = [
    { id: 'LOOM-01', kind: 'rule', text: 'A | B.' },
    { id: 'LOOM-02', kind: 'rule', text: 'C.' },
  ];
  const page = (source: string): string =>
    renderConformancePage({
      systems: [{ prefix: 'LOOM', name: 'Loom' }],
      requirements,
      proofs: listProofs('packages/core/test/a.test.ts', source),
    });

  it('lists for each requirement the tests that cover it, or that none does yet', () => {
    const text = page(
      `it('${createSampleTitle('LOOM-02')}', () => {}); it('${createSampleTitle('LOOM-02')} again_', () => {});`,
    );
    expect(text).toContain('| Loom | 1 | 2 |');
    expect(text).toContain(String.raw`| LOOM-01 | A \| B. | not covered yet |`);
    expect(text).toContain(
      String.raw`| LOOM-02 | C. | [packages/core/test/a.test.ts](../packages/core/test/a.test.ts): waits; waits again\_ |`,
    );
  });

  it('is rejected for an unknown id', () => {
    const proofs = listProofs('a.test.ts', `it('${createSampleTitle('LOOM-99')}', () => {})`);
    expect(() => checkRequirementIds(new Set(['LOOM-01']), proofs)).toThrow(
      `a.test.ts: "${createSampleTitle('LOOM-99')}": no requirement has the id LOOM-99`,
    );
  });

  it('is rejected for an incomplete id, with the file and the title', () => {
    const source = `it('${createSampleTitle('LOOM-01 maybe')}', () => {})`;
    expect(() => listProofs('a.test.ts', source)).toThrow(
      `a.test.ts: "${createSampleTitle('LOOM-01 maybe')}"`,
    );
  });
});
