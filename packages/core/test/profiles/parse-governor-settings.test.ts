import { describe, expect, it } from 'vitest';
import { parseGovernorSettings } from '../../src/profiles/parse-governor-settings.ts';
import type { GovernorSettings } from '@pawl/governor';

const previousSettings: GovernorSettings = {
  preset: 'pawl',
  rules: { waiting: false, 'same-query': { advise: 2 } },
  attended: false,
};

describe('readGovernor', () => {
  it('keeps the rules that are not spoken of, and takes each that is as it is said', () => {
    const given = { rules: { 'same-query': { refuse: 3 }, monologue: false } };
    expect(parseGovernorSettings(given, ['governor'], previousSettings)).toEqual({
      preset: 'pawl',
      rules: { waiting: false, 'same-query': { refuse: 3 }, monologue: false },
      attended: false,
    });
    expect(parseGovernorSettings({ attended: true }, [], previousSettings)).toEqual({
      ...previousSettings,
      attended: true,
    });
  });

  it('lets go of rules that another preset does not have', () => {
    expect(parseGovernorSettings({ preset: 'nexora' }, [], previousSettings)).toEqual({
      preset: 'nexora',
      rules: {},
      attended: false,
    });
  });

  it('changes nothing of what it was given', () => {
    const frozen = Object.freeze({
      ...previousSettings,
      rules: Object.freeze({ ...previousSettings.rules }),
    });
    parseGovernorSettings({ rules: { chanting: false } }, [], frozen);
    expect(frozen).toEqual(previousSettings);
  });
});
