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

describe('a permission decision', () => {
  it('is requested with the exact call, the reason and the rule that "always" would add', async () => {
    const { decide, asked } = createTestDecider(() => ({ decision: 'allow' }));
    const wanted = createShellCall('npm test');
    expect(await decide(wanted, signal)).toEqual({ decision: 'allow' });
    expect(asked).toEqual([
      {
        call: wanted,
        reason: 'the mode ask asks before running commands',
        always: 'allow shell(npm test)',
        change: null,
      },
    ]);
    expect(asked[0]?.call).toBe(wanted);
  });

  it('is requested each time, unless the answer was "always", which adds a rule', async () => {
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

  it('is requested one at a time, and a prompt that fails denies only its own call', async () => {
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

  it('is a denial if no user is available or the prompt was cancelled', async () => {
    const permissions = createPermissionPolicy({ mode: 'ask', root: '/nowhere', tools: [], sandboxed: true });
    const decide = createPermissionDecider({ permissions, ask: null });
    expect(await decide(createShellCall('ls'), signal)).toEqual({
      decision: 'deny',
      reason: 'no user is available to ask',
    });
    const { decide: other, asked } = createTestDecider(() => ({ decision: 'allow' }));
    expect(await other(createShellCall('ls'), AbortSignal.abort())).toMatchObject({ decision: 'deny' });
    expect(asked).toEqual([]);
  });

  it('is an immediate denial if a rule denies the call by then', async () => {
    const { decide, permissions, asked } = createTestDecider(() => ({ decision: 'allow' }));
    permissions.add({ decision: 'deny', tool: 'shell', on: 'rm' });
    expect(await decide(createShellCall('ls; rm x'), signal)).toEqual({
      decision: 'deny',
      reason: 'the rule "deny shell(rm)" applies',
    });
    expect(asked).toEqual([]);
  });
});
