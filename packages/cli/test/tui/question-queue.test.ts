import { describe, expect, it } from 'vitest';
import { createQuestionQueue } from '../../src/tui/questions.ts';

const yes = { kind: 'permission', answer: { decision: 'allow' } } as const;

describe('pending questions', () => {
  it('are answered by number, and report when they open and close', async () => {
    const questions = createQuestionQueue();
    const changes: string[] = [];
    const onChange = (number: number, isOpen: boolean): void => void changes.push(`${number} ${isOpen}`);
    const { signal } = new AbortController();
    const first = questions.wait(signal, onChange);
    const second = questions.wait(signal, onChange);
    questions.answer(2, yes);
    questions.answer(2, yes);
    questions.answer(9, yes);
    questions.answer(1, { kind: 'model', answer: 'so' });
    expect(await second).toEqual(yes);
    expect(await first).toEqual({ kind: 'model', answer: 'so' });
    expect(changes).toEqual(['1 true', '2 true', '2 false', '1 false']);
  });

  it('resolve to null when cancelled, before or after they open', async () => {
    const questions = createQuestionQueue();
    const controller = new AbortController();
    const waiting = questions.wait(controller.signal, () => undefined);
    controller.abort();
    expect(await waiting).toBe(null);
    expect(await questions.wait(controller.signal, () => undefined)).toBe(null);
    const last = questions.wait(new AbortController().signal, () => undefined);
    questions.cancelAll();
    expect(await last).toBe(null);
  });
});
