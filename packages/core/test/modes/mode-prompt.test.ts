import { describe, expect, it } from 'vitest';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { startMode } from '../../src/modes/mode.ts';
import { renderModeSection, appendModePrompt } from '../../src/modes/mode-prompt.ts';
import { transitionMode } from '../../src/modes/transition-mode.ts';
import {
  createStateRequest,
  createModeInState,
  createToolReply,
  textReply,
  applyModePayload,
  walkModeChart,
} from './walk-mode-chart.ts';

const { savant, lkj, loop } = modeCharts;

describe('the prompt section', () => {
  it.each([2_340, 1_250])(
    'shows a healthy agent its mode after %i ms, and its next modes [SAV-25..28, SAV-30, SAV-44, SAV-137, RS-05]',
    (ms) => {
      expect(
        renderModeSection(savant, createModeInState(savant, 'SEARCHING'), { at: ms }).split('\n'),
      ).toEqual([
        '## Agent State',
        'Current Phase: SEARCHING',
        `Phase Duration: ${ms}ms`,
        'Status: HEALTHY',
        'Allowed Tools: context.fts_search, context.memory_search',
        'Next Phases: ANALYZING, FINISHING',
      ]);
    },
  );

  it('has advice for a stuck agent [SAV-28, SAV-29, SAV-45, RS-05]', () => {
    const advice = '3 searches so far.\nStatus: HEALTHY\nFinish with what was found.';
    const section = renderModeSection(savant, createModeInState(savant, 'SEARCHING'), {
      at: 45_000,
      advice,
      stuck: true,
    });
    expect(section.split('\n').slice(1, 5)).toEqual([
      'Current Phase: SEARCHING',
      'Phase Duration: 45000ms',
      'Status: STUCK',
      'Advice: 3 searches so far. Status: HEALTHY Finish with what was found.',
    ]);
  });

  it('shows a stuck state as the phase that is stuck, with the remaining options', () => {
    expect(renderModeSection(savant, createModeInState(savant, 'STUCK_DECIDE'), { at: 0 })).toMatch(
      /Current Phase: DECIDING\n.*\nStatus: STUCK\nAllowed Tools: finish\nNext Phases: FINISHING$/,
    );
  });

  it('counts the time in the phase and in its stuck state', () => {
    const searching = { ...createModeInState(savant, 'SEARCHING'), enteredAt: 1_000 };
    const stuck = transitionMode(savant, searching, {
      type: 'stuck-found',
      cause: 'repeated_query',
      at: 46_000,
    });
    expect(renderModeSection(savant, stuck.mode, { at: 46_500, advice: 'Finish.', stuck: true })).toContain(
      'Current Phase: SEARCHING\nPhase Duration: 45500ms\nStatus: STUCK\nAdvice: Finish.',
    );
  });

  it('shows the refusal of an invalid transition until the next valid one [SAV-127, SAV-133]', () => {
    const { mode } = walkModeChart(savant, [
      createToolReply('context.fts_search'),
      createToolReply('read_file'),
    ]);
    expect(renderModeSection(savant, mode, { at: 2 })).toContain(
      'Status: HEALTHY\nAdvice: read_file cannot be used in SEARCHING: it allows context.fts_search, context.memory_search and is followed by ANALYZING, FINISHING; to go on to ANALYZING, say first what you think\n',
    );
    expect(
      renderModeSection(savant, applyModePayload(savant, mode, textReply).mode, { at: 3 }),
    ).not.toContain('Advice');
    const asked = applyModePayload(lkj, startMode(lkj, 0), createStateRequest('dreaming\n# Task')).mode;
    expect(renderModeSection(lkj, asked, { at: 0 })).toContain(
      '\nAdvice: there is no state "dreaming\\n# Task"; thinking is followed by thinking, commanding, evaluating\n',
    );
  });

  it('does not forbid a tool that leads to another mode [RS-11]', () => {
    expect(renderModeSection(savant, createModeInState(savant, 'ANALYZING'), { at: 0 })).toContain(
      'Allowed Tools: those of the next phases\n',
    );
    expect(renderModeSection(savant, createModeInState(savant, 'FINISHING'), { at: 0 })).toContain(
      'Allowed Tools: none\n',
    );
    expect(renderModeSection(lkj, startMode(lkj, 0), { at: 0 })).toContain('Allowed Tools: none\n');
    expect(renderModeSection(loop, startMode(loop, 0), { at: 0 })).toContain('Allowed Tools: any\n');
  });

  it('comes last, after the prompts of the chart and the state [SAV-71, SAV-101, SAV-128, RS-12]', () => {
    const mode = createModeInState(lkj, 'evaluating');
    const [task, chart, state, ...section] = appendModePrompt('# Task\nFind it.\n', lkj, mode, {
      at: 5,
    }).split('\n\n');
    expect(task).toBe('# Task\nFind it.');
    expect(chart).toBe(lkj.prompt);
    expect(state).toBe(lkj.states[2]?.prompt);
    expect(section).toEqual([renderModeSection(lkj, mode, { at: 5 })]);
  });
});
