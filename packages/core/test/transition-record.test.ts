import { describe, expect, it } from 'vitest';
import { createSession, step } from '../src/index.ts';
import { findProfile } from '../src/profiles-entry.ts';
import { toTransitionRecords } from '../src/turn-entry.ts';

describe('a transition record', () => {
  it('has the same shape for the turn and for the mode, in every profile [RX-13, SAV-138]', () => {
    const settings = findProfile('savant')?.settings ?? {};
    const start = createSession({ id: 's', at: 0, profile: 'savant', settings });
    const asked = step(start, { type: 'user-message', at: 100, text: 'go' });
    const replied = step(asked.session, {
      type: 'model-replied',
      at: 300,
      text: '',
      calls: [{ tool: 'search', args: { query: 'x' } }],
    });
    expect(toTransitionRecords(asked.notes, asked.session)).toEqual([
      {
        ts: 100,
        profile: 'savant',
        from: 'waitingForUser',
        to: 'callingModel',
        cause: 'user-message',
        duration_ms: 100,
      },
    ]);
    const records = toTransitionRecords(replied.notes, replied.session);
    expect(records).toContainEqual({
      ts: 300,
      profile: 'savant',
      from: 'INIT',
      to: 'SEARCHING',
      cause: 'search',
      duration_ms: 300,
    });
    expect(records.map(({ to }) => to)).toEqual(['SEARCHING', 'processingResponse', 'executingTools']);
  });
});
