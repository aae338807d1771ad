import type { ModeChart, ModeState } from './mode-chart.ts';

type Optional<Type> = { readonly [Key in keyof Type]?: Type[Key] | undefined };

/**
 * A mode as people write it. What is left out is nothing: no tools, no limits, no prompt. `selectable` is then true,
 * except for a mode that others fall to when stuck, and for the one in which room is made in memory.
 *
 * The names are gathered from `name` alone, so that the compiler finds a wrong one wherever else it stands.
 */
export type ModeStateInput<Name extends string> = { readonly name: Name } & Optional<
  Omit<ModeState<NoInfer<Name>>, 'name'>
>;

/** A chart as people write it. What is left out is: hops by tool, wrong moves refused, no finish, no paging, no limits. */
export type ModeChartInput<Name extends string> = {
  readonly name: string;
  readonly initial: NoInfer<Name>;
  readonly states: readonly ModeStateInput<Name>[];
} & Optional<Omit<ModeChart<NoInfer<Name>>, 'name' | 'initial' | 'states'>>;
