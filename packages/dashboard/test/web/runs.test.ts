import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/index.ts';
import {
  countGroups,
  filterAddress,
  matches,
  readFilter,
  readSavedViews,
} from '../../web/views/runs/runs-model.ts';

describe('the list of runs', () => {
  it('puts each run where people look for it', () => {
    const rows = [
      row({ status: 'callingModel' }),
      row({ status: 'awaitingPermission', asks: 2 }),
      row({ status: 'paused' }),
      row({ status: 'waitingForUser' }),
      row({ status: 'halted' }),
      row({ status: 'damaged' }),
    ];
    expect(countGroups(rows)).toEqual({ all: 6, 'needs you': 2, working: 1, waiting: 1, ended: 2 });
    expect(rows.filter((each) => matches(each, { show: 'ended', q: '' }))).toHaveLength(2);
  });

  it('finds words in goal, id, profile, model and folder', () => {
    const one = row({ goal: 'Repair the Sum', id: 'abc', model: 'openai/gpt', dir: '/home/ada/shop' });
    for (const q of ['sum', 'repair SUM', 'abc', 'gpt', 'shop sum', '']) {
      expect(matches(one, { show: 'all', q })).toBe(true);
    }
    expect(matches(one, { show: 'all', q: 'sum tax' })).toBe(false);
  });

  it('has its filter in the address', () => {
    const filter = { show: 'needs you', q: 'a&b=c ?#' } as const;
    const address = filterAddress(filter);
    expect(readFilter(new URLSearchParams(address.slice(address.indexOf('?'))))).toEqual(filter);
    expect(filterAddress({ show: 'all', q: '' })).toBe('#/');
    expect(readFilter(new URLSearchParams('show=nonsense'))).toEqual({ show: 'all', q: '' });
  });

  it('takes from the storage of the browser only what is a saved view', () => {
    const good = { name: 'mine', address: '#/?q=x' };
    const stored = [good, { name: 1, address: '#/' }, { name: 'evil', address: 'javascript:alert(1)' }, null];
    expect(readSavedViews(JSON.stringify(stored))).toEqual([good]);
    expect(readSavedViews('{')).toEqual([]);
    expect(readSavedViews(null)).toEqual([]);
  });
});

function row(given: Partial<SessionRow>): SessionRow {
  return {
    id: 'id',
    short: 'id',
    goal: null,
    profile: 'pawl',
    model: null,
    dir: null,
    status: 'waitingForUser',
    mode: null,
    phase: null,
    stop: null,
    steps: 0,
    toolCalls: 0,
    tokens: 0,
    cost: 0,
    asks: 0,
    head: 0,
    createdAt: 0,
    updatedAt: 0,
    holder: 'nobody',
    parent: null,
    ...given,
  };
}
