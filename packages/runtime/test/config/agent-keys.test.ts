import { createSession } from '@pawl/core';
import { findProfile, type Profile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import { applyAgentKeys } from '../../src/agent-setup/agent-setup.ts';
import type { AgentKeys } from '../../src/config/config.ts';

function requireProfile(name: string): Profile {
  const profile = findProfile(name);
  if (profile === undefined) throw new Error(`there is no profile ${name}`);
  return profile;
}

const agentKeys: AgentKeys = {
  max_retries: 5,
  state_machine: {
    enable: true,
    stuck_threshold: 4,
    oscillation_window: 6,
    progress_check_interval: 7,
    max_recent_actions: 30,
    max_recent_errors: 12,
  },
};

describe('applyAgentKeys', () => {
  it("applies every key to a profile that supports it and keeps the profile's other settings", () => {
    const { profile, warnings } = applyAgentKeys(requireProfile('nexora'), { agent: agentKeys });
    expect(warnings).toEqual([]);
    expect(profile.settings.maxRetries).toBe(5);
    const { governor } = createSession({ id: 's', at: 0, settings: profile.settings });
    expect(governor.tracker?.state.detector).toMatchObject({
      config: {
        enable: true,
        stuckThreshold: 4,
        oscillationWindow: 6,
        progressCheckInterval: 7,
        maxRecentActions: 30,
        maxRecentErrors: 12,
        readTools: ['view', 'ls', 'grep', 'read', 'search', 'glob'],
      },
    });
  });

  it('replaces a key that the profile spells differently', () => {
    const base = requireProfile('nexora');
    const governor = { preset: 'nexora-lenient', rules: {}, config: { stuckThreshold: 9 } } as const;
    const own = { ...base, settings: { ...base.settings, governor } };
    const { profile } = applyAgentKeys(own, { agent: { state_machine: { stuck_threshold: 2 } } });
    expect(profile.settings.governor?.config).toStrictEqual({ stuck_threshold: 2 });
  });

  it('ignores keys that the profile does not support, with a warning', () => {
    const { profile, warnings } = applyAgentKeys(requireProfile('pawl'), { agent: agentKeys });
    expect(profile.settings).toStrictEqual({ ...requireProfile('pawl').settings, maxRetries: 5 });
    expect(warnings).toEqual([
      'agent.state_machine was ignored: it applies only to the nexora governor, which the profile pawl does not use.',
    ]);
  });

  it('changes nothing without keys', () => {
    expect(applyAgentKeys(requireProfile('loom'), {})).toStrictEqual({
      profile: requireProfile('loom'),
      warnings: [],
    });
  });
});
