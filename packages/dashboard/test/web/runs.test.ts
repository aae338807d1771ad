import { describe, expect, it } from 'vitest';
import type { SessionListItem } from '../../src/api/index.ts';
import {
  countRunsGroups,
  formatFilterAddress,
  matchesRunsFilter,
  parseRunsFilter,
  parseSavedViews,
} from '../../web/views/runs/runs-model.ts';

describe('the list of runs', () => {
  it('groups runs by status', () => {
    const rows = [
      createSessionListItem({ status: 'callingModel' }),
      createSessionListItem({ status: 'awaitingPermission', asks: 2 }),
      createSessionListItem({ status: 'paused' }),
      createSessionListItem({ status: 'waitingForUser' }),
      createSessionListItem({ status: 'halted' }),
      createSessionListItem({ status: 'damaged' }),
    ];
    expect(countRunsGroups(rows)).toEqual({ all: 6, 'needs you': 2, working: 1, waiting: 1, ended: 2 });
    expect(rows.filter((each) => matchesRunsFilter(each, { show: 'ended', q: '' }))).toHaveLength(2);
  });

  it('finds words in goal, id, profile, model and folder', () => {
    const one = createSessionListItem({
      goal: 'Repair the Sum',
      id: 'abc',
      model: 'openai/gpt',
      dir: '/home/ada/shop',
    });
    for (const q of ['sum', 'repair SUM', 'abc', 'gpt', 'shop sum', '']) {
      expect(matchesRunsFilter(one, { show: 'all', q })).toBe(true);
    }
    expect(matchesRunsFilter(one, { show: 'all', q: 'sum tax' })).toBe(false);
  });

  it('stores its filter in the address', () => {
    const filter = { show: 'needs you', q: 'a&b=c ?#' } as const;
    const address = formatFilterAddress(filter);
    expect(parseRunsFilter(new URLSearchParams(address.slice(address.indexOf('?'))))).toEqual(filter);
    expect(formatFilterAddress({ show: 'all', q: '' })).toBe('#/');
    expect(parseRunsFilter(new URLSearchParams('show=nonsense'))).toEqual({ show: 'all', q: '' });
  });

  it('loads only valid saved views from browser storage', () => {
    const good = { name: 'mine', address: '#/?q=x' };
    const stored = [good, { name: 1, address: '#/' }, { name: 'evil', address: 'javascript:alert(1)' }, null];
    expect(parseSavedViews(JSON.stringify(stored))).toEqual([good]);
    expect(parseSavedViews('{')).toEqual([]);
    expect(parseSavedViews(null)).toEqual([]);
  });
});

function createSessionListItem(fields: Partial<SessionListItem>): SessionListItem {
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
    ...fields,
  };
}
