import { describe, expect, it } from 'vitest';
import { parseGovernorSettings } from '../../src/profiles/parse-governor-settings.ts';
import type { GovernorSettings } from '@pawl/governor';

const previousSettings: GovernorSettings = {
  preset: 'pawl',
  rules: { waiting: false, 'same-query': { advise: 2 } },
  attended: false,
};

describe('parseGovernorSettings', () => {
  it('keeps rules that are not mentioned, and replaces those that are', () => {
    const input = { rules: { 'same-query': { block: 3 }, monologue: false } };
    expect(parseGovernorSettings(input, ['governor'], previousSettings)).toEqual({
      preset: 'pawl',
      rules: { waiting: false, 'same-query': { block: 3 }, monologue: false },
      attended: false,
    });
    expect(parseGovernorSettings({ attended: true }, [], previousSettings)).toEqual({
      ...previousSettings,
      attended: true,
    });
  });

  it('drops rules that another preset does not have', () => {
    expect(parseGovernorSettings({ preset: 'nexora' }, [], previousSettings)).toEqual({
      preset: 'nexora',
      rules: {},
      attended: false,
    });
  });

  it('does not mutate its input', () => {
    const frozen = Object.freeze({
      ...previousSettings,
      rules: Object.freeze({ ...previousSettings.rules }),
    });
    parseGovernorSettings({ rules: { 'repetition-loop': false } }, [], frozen);
    expect(frozen).toEqual(previousSettings);
  });
});
