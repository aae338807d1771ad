import type { ToolCall } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import {
  createPermissionDecider,
  type PermissionAnswer,
  type PermissionQuestion,
} from '../../src/permission/decide.ts';
import { createPermissionPolicy } from '../../src/permission/permissions.ts';
import { formatPermissionRule, type PermissionRule } from '../../src/permission/rule.ts';

const { signal } = new AbortController();
const createShellCall = (command: string): ToolCall => ({ id: 'c', tool: 'shell', args: { command } });

function createTestDecider(
  answer: (question: PermissionQuestion) => PermissionAnswer | Promise<PermissionAnswer>,
) {
  const permissions = createPermissionPolicy({ mode: 'ask', root: '/nowhere', tools: [], sandboxed: true });
  const asked: PermissionQuestion[] = [];
  const kept: PermissionRule[] = [];
  const decide = createPermissionDecider({
    permissions,
    async ask(question) {
      asked.push(question);
      return answer(question);
    },
    onRule: (rule) => void kept.push(rule),
  });
  return { permissions, asked, kept, decide };
}

describe('deciding about a call', () => {
  it('asks with the very call and why, and says what always would mean', async () => {
    const { decide, asked } = createTestDecider(() => ({ decision: 'allow' }));
    const wanted = createShellCall('npm test');
    expect(await decide(wanted, signal)).toEqual({ decision: 'allow' });
    expect(asked).toEqual([
      { call: wanted, reason: 'the mode ask asks before running things', always: 'allow shell(npm test)' },
    ]);
    expect(asked[0]?.call).toBe(wanted);
  });

  it('asks each time, unless the answer was always; then it keeps the rule', async () => {
    const { decide, asked, kept } = createTestDecider(({ call: { args } }) => ({
      decision: 'allow',
      always: JSON.stringify(args).includes('always'),
    }));
    await decide(createShellCall('once'), signal);
    await decide(createShellCall('once'), signal);
    await decide(createShellCall('always'), signal);
    await decide(createShellCall('always'), signal);
    await decide(createShellCall('always; other'), signal);
    expect(asked.map((question) => JSON.stringify(question.call.args))).toEqual([
      '{"command":"once"}',
      '{"command":"once"}',
      '{"command":"always"}',
      '{"command":"always; other"}',
    ]);
    expect(kept.map(formatPermissionRule)).toEqual([
      'allow shell(always)',
      'allow shell {"command":"always; other"}',
    ]);
  });

  it('asks one question at a time, and one that goes wrong is a no of its own', async () => {
    let open = 0;
    let most = 0;
    const { decide } = createTestDecider(async ({ call: { args } }) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      if (JSON.stringify(args).includes('breaks')) throw new Error('the terminal is gone');
      return { decision: 'deny', reason: 'not now' };
    });
    const answers = await Promise.allSettled(
      ['a', 'breaks', 'b'].map((command) => decide(createShellCall(command), signal)),
    );
    expect(most).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[2]).toMatchObject({ value: { decision: 'deny', reason: 'not now' } });
  });

  it('says no when nobody is there, or the question was called off', async () => {
    const permissions = createPermissionPolicy({ mode: 'ask', root: '/nowhere', tools: [], sandboxed: true });
    const decide = createPermissionDecider({ permissions, ask: null });
    expect(await decide(createShellCall('ls'), signal)).toEqual({
      decision: 'deny',
      reason: 'nobody is there to ask',
    });
    const { decide: other, asked } = createTestDecider(() => ({ decision: 'allow' }));
    expect(await other(createShellCall('ls'), AbortSignal.abort())).toMatchObject({ decision: 'deny' });
    expect(asked).toEqual([]);
  });

  it('says no at once to what a rule denies by now', async () => {
    const { decide, permissions, asked } = createTestDecider(() => ({ decision: 'allow' }));
    permissions.add({ decision: 'deny', tool: 'shell', on: 'rm' });
    expect(await decide(createShellCall('ls; rm x'), signal)).toEqual({
      decision: 'deny',
      reason: 'the rule "deny shell(rm)" says so',
    });
    expect(asked).toEqual([]);
  });
});
