import { describe, expect, it } from 'vitest';
import { readGovernor } from '../../src/profiles/read-governor.ts';
import type { GovernorSettings } from '../../src/settings.ts';

const before: GovernorSettings = {
  preset: 'pawl',
  rules: { waiting: false, 'same-query': { advise: 2 } },
  attended: false,
};

describe('readGovernor', () => {
  it('keeps the rules that are not spoken of, and takes each that is as it is said', () => {
    const given = { rules: { 'same-query': { refuse: 3 }, monologue: false } };
    expect(readGovernor(given, ['governor'], before)).toEqual({
      preset: 'pawl',
      rules: { waiting: false, 'same-query': { refuse: 3 }, monologue: false },
      attended: false,
    });
    expect(readGovernor({ attended: true }, [], before)).toEqual({ ...before, attended: true });
  });

  it('lets go of rules that another preset does not have', () => {
    expect(readGovernor({ preset: 'nexora' }, [], before)).toEqual({
      preset: 'nexora',
      rules: {},
      attended: false,
    });
  });

  it('changes nothing of what it was given', () => {
    const frozen = Object.freeze({ ...before, rules: Object.freeze({ ...before.rules }) });
    readGovernor({ rules: { chanting: false } }, [], frozen);
    expect(frozen).toEqual(before);
  });
});
