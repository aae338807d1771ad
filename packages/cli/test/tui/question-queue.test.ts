import { describe, expect, it } from 'vitest';
import { createQuestionQueue } from '../../src/tui/question-queue.ts';

const yes = { kind: 'permission', answer: { decision: 'allow' } } as const;

describe('questions that wait for an answer', () => {
  it('are answered by their numbers, and told when they come and go', async () => {
    const questions = createQuestionQueue();
    const told: string[] = [];
    const change = (number: number, isOpen: boolean): void => void told.push(`${number} ${isOpen}`);
    const { signal } = new AbortController();
    const first = questions.wait(signal, change);
    const second = questions.wait(signal, change);
    questions.answer(2, yes);
    questions.answer(2, yes);
    questions.answer(9, yes);
    questions.answer(1, { kind: 'model', answer: 'so' });
    expect(await second).toEqual(yes);
    expect(await first).toEqual({ kind: 'model', answer: 'so' });
    expect(told).toEqual(['1 true', '2 true', '2 false', '1 false']);
  });

  it('come to nothing when they are called off, before or after they were asked', async () => {
    const questions = createQuestionQueue();
    const controller = new AbortController();
    const waiting = questions.wait(controller.signal, () => undefined);
    controller.abort();
    expect(await waiting).toBe(null);
    expect(await questions.wait(controller.signal, () => undefined)).toBe(null);
    const last = questions.wait(new AbortController().signal, () => undefined);
    questions.callOff();
    expect(await last).toBe(null);
  });
});
