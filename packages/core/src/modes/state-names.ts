import { getModeState, type ModeChart, type ModeState } from './mode-chart.ts';

/** Finds a state by name or alias, ignoring case and surrounding spaces, because models are careless with both. */
export function matchStateName(chart: ModeChart, name: string): ModeState | undefined {
  const wanted = name.trim().toLowerCase();
  return chart.states.find((state) =>
    [state.name, ...state.aliases].some((each) => each.toLowerCase() === wanted),
  );
}

/** Formats names for a sentence; long lists are truncated. */
export function formatNameList(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, 20).join(', ');
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}

/** Returns the next states the model may choose. */
export function listSelectableNames(chart: ModeChart, { next }: ModeState): readonly string[] {
  return next.filter((name) => getModeState(chart, name)?.selectable);
}
