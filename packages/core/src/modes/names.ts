import { stateNamed, type ModeChart, type ModeState } from './mode-chart.ts';

/** The state that somebody means. Models are free with spaces and capital letters, and may know it by an alias. */
export function findState(chart: ModeChart, name: string): ModeState | undefined {
  const wanted = name.trim().toLowerCase();
  return chart.states.find((state) =>
    [state.name, ...state.aliases].some((each) => each.toLowerCase() === wanted),
  );
}

/** Names in a sentence; of very many only the first. */
export function listed(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, 20).join(', ');
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}

/** The states that may follow and that the model may choose. */
export function selectableNext(chart: ModeChart, { next }: ModeState): readonly string[] {
  return next.filter((name) => stateNamed(chart, name)?.selectable);
}
