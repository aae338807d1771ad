import type { SessionClaim } from '@pawl/runtime/store';
import { describe, expect, it } from 'vitest';
import { findTakeovers, formatTakeovers } from '../../src/commands/show/action.ts';

const createOwnerName = (host: string, pid: number): string =>
  `pawl host=${host} boot=b space=1 pid=${pid} start=9`;

function createClaim(
  owner: string,
  head: number,
  status: SessionClaim['status'] = 'callingModel',
): SessionClaim {
  return { owner, at: 1_000 * head, head, status };
}

describe('takeovers', () => {
  const [a, b, c] = [createOwnerName('one', 1), createOwnerName('two', 2), createOwnerName('two', 3)];
  const about = { dir: '/x', worker: { tenant: 'default' } };

  it('are claims by another owner during work', () => {
    const claims = [
      createClaim('submit', 0, 'waitingForUser'),
      createClaim(a, 1),
      createClaim(b, 7),
      createClaim(c, 9, 'executingTools'),
    ];
    expect(findTakeovers(claims, about)).toEqual([
      { by: b, from: a, at: 7_000, after: 7 },
      { by: c, from: b, at: 9_000, after: 9 },
    ]);
  });

  it('are not claims without work in progress or by the same owner', () => {
    const claims = [
      createClaim('submit', 0, 'waitingForUser'),
      createClaim(a, 1),
      createClaim(a, 4),
      createClaim(b, 7, 'waitingForUser'),
      createClaim(c, 8, 'awaitingPermission'),
      createClaim(a, 9, 'paused'),
    ];
    expect(findTakeovers(claims, about)).toEqual([]);
    expect(findTakeovers([], about)).toEqual([]);
  });

  it('include the first claim of a session that was not submitted to workers', () => {
    const claims = [createClaim(a, 0, 'waitingForUser'), createClaim(b, 5)];
    expect(findTakeovers(claims, { dir: '/x' })).toHaveLength(1);
    expect(findTakeovers(claims, about)).toEqual([]);
  });

  it('are formatted with machine, process and time', () => {
    const claims = [createClaim(a, 0), createClaim(b, 5), createClaim('somebody\u001b[31m', 6)];
    const text = formatTakeovers(findTakeovers(claims, null)) ?? '';
    expect(text).toMatch(
      /^2 times: by two:2 from one:1 at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, after event 5; by /,
    );
    expect(text).not.toContain('\u001b');
    expect(formatTakeovers([])).toBeNull();
    const often = Array.from({ length: 9 }, (_, index) => createClaim(index % 2 === 0 ? a : b, index));
    expect(formatTakeovers(findTakeovers(often, null))).toMatch(/^8 times: most recently by /);
  });
});
