import { describe, expect, it } from 'vitest';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { startMode } from '../../src/modes/mode.ts';
import { renderModeSection, appendModePrompt } from '../../src/modes/mode-prompt.ts';
import {
  createStateRequest,
  createModeInState,
  createToolReply,
  textReply,
  applyModePayload,
  walkModeChart,
} from './walk-mode-chart.ts';

const { savant, lkj, loop } = modeCharts;

describe('the section of the prompt', () => {
  it.each([2_340, 1_250])(
    'says where a healthy agent is, for %i ms, and where it can go [SAV-25..28, SAV-30, SAV-44, SAV-137, RS-05]',
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

  it('has advice for a stuck one [SAV-28, SAV-29, SAV-45, RS-05]', () => {
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

  it('says that a stuck state is one, and what is left to do', () => {
    expect(renderModeSection(savant, createModeInState(savant, 'STUCK_DECIDE'), { at: 0 })).toMatch(
      /STUCK_DECIDE\n.*\nStatus: STUCK\nAllowed Tools: finish\nNext Phases: FINISHING$/,
    );
  });

  it('guides the model back that took a wrong turn, until it takes a right one [SAV-127, SAV-133]', () => {
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

  it('does not keep the model from picking a tool where that is what leads on [RS-11]', () => {
    expect(renderModeSection(savant, createModeInState(savant, 'ANALYZING'), { at: 0 })).toContain(
      'Allowed Tools: those of the next phases\n',
    );
    expect(renderModeSection(savant, createModeInState(savant, 'FINISHING'), { at: 0 })).toContain(
      'Allowed Tools: none\n',
    );
    expect(renderModeSection(lkj, startMode(lkj, 0), { at: 0 })).toContain('Allowed Tools: none\n');
    expect(renderModeSection(loop, startMode(loop, 0), { at: 0 })).toContain('Allowed Tools: any\n');
  });

  it('comes last, after what the chart and the state have to say [SAV-71, SAV-101, SAV-128, RS-12]', () => {
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
