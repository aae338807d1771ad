import type { Claim } from '@pawl/runtime';
import { describe, expect, it } from 'vitest';
import { takeoversIn, takeoversText } from '../../src/commands/show-takeovers.ts';

const process = (host: string, pid: number): string => `pawl host=${host} boot=b space=1 pid=${pid} start=9`;

function claim(owner: string, head: number, status: Claim['status'] = 'callingModel'): Claim {
  return { owner, at: 1_000 * head, head, status };
}

describe('takeovers', () => {
  const [a, b, c] = [process('one', 1), process('two', 2), process('two', 3)];
  const about = { dir: '/x', worker: { tenant: 'default' } };

  it('are where another went on in the middle of the work', () => {
    const claims = [
      claim('submit', 0, 'waitingForUser'),
      claim(a, 1),
      claim(b, 7),
      claim(c, 9, 'executingTools'),
    ];
    expect(takeoversIn(claims, about)).toEqual([
      { by: b, from: a, at: 7_000, after: 7 },
      { by: c, from: b, at: 9_000, after: 9 },
    ]);
  });

  it('are not where nobody had anything in hand, or the same one went on', () => {
    const claims = [
      claim('submit', 0, 'waitingForUser'),
      claim(a, 1),
      claim(a, 4),
      claim(b, 7, 'waitingForUser'),
      claim(c, 8, 'awaitingPermission'),
      claim(a, 9, 'paused'),
    ];
    expect(takeoversIn(claims, about)).toEqual([]);
    expect(takeoversIn([], about)).toEqual([]);
  });

  it('count from whoever began it where it was not handed to workers', () => {
    const claims = [claim(a, 0, 'waitingForUser'), claim(b, 5)];
    expect(takeoversIn(claims, { dir: '/x' })).toHaveLength(1);
    expect(takeoversIn(claims, about)).toEqual([]);
  });

  it('are told by machine and process, with when', () => {
    const claims = [claim(a, 0), claim(b, 5), claim('somebody\u001b[31m', 6)];
    const text = takeoversText(takeoversIn(claims, null)) ?? '';
    expect(text).toMatch(
      /^2 times: by two:2 from one:1 at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, after event 5; by /,
    );
    expect(text).not.toContain('\u001b');
    expect(takeoversText([])).toBeNull();
    const often = Array.from({ length: 9 }, (_, index) => claim(index % 2 === 0 ? a : b, index));
    expect(takeoversText(takeoversIn(often, null))).toMatch(/^8 times: of these last by /);
  });
});
