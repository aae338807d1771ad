/** Cost of a step after a tenth, half and all of the steps: the mean of the preceding twentieth of the steps. */
export type StepTimes = { readonly early: number; readonly middle: number; readonly late: number };

export function computeStepTimes(ticks: readonly number[], steps: number): StepTimes {
  const span = Math.max(1, Math.round(steps / 20));
  const at = (step: number): number => {
    const to = Math.min(ticks.length, Math.max(span + 1, Math.round(step))) - 1;
    return ((ticks[to] ?? Number.NaN) - (ticks[to - span] ?? Number.NaN)) / span;
  };
  return { early: at(steps / 10), middle: at(steps / 2), late: at(steps) };
}
