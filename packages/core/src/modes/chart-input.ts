import type { ModeChart, ModeState } from './mode-chart.ts';

type OptionalProperties<Type> = { readonly [Key in keyof Type]?: Type[Key] | undefined };

/**
 * A mode as written by a user. Omitted fields mean none: no tools, no limits, no prompt. `selectable` defaults to true,
 * except for a stuck state and for the paging state.
 *
 * Names are inferred from `name` alone, so that the compiler reports a wrong name anywhere else.
 */
export type ModeStateInput<Name extends string> = { readonly name: Name } & OptionalProperties<
  Omit<ModeState<NoInfer<Name>>, 'name'>
>;

/**
 * A chart as written by a user. Defaults: transitions by tool, invalid transitions refused, no finish, no paging, no
 * limits.
 */
export type ModeChartInput<Name extends string> = {
  readonly name: string;
  readonly initial: NoInfer<Name>;
  readonly states: readonly ModeStateInput<Name>[];
} & OptionalProperties<Omit<ModeChart<NoInfer<Name>>, 'name' | 'initial' | 'states'>>;
