import type { Given } from './config.ts';
import { lenient, nexoraConfig, type NexoraConfig } from './nexora/config.ts';
import { nexoraMind, type NexoraMind } from './nexora/mind.ts';
import type { NexoraState } from './nexora/states.ts';
import { pawlConfig, type PawlConfig } from './pawl/config.ts';
import { pawlMind, type PawlMind, type PawlState } from './pawl/mind.ts';
import { savantConfig, type SavantConfig } from './savant/config.ts';
import { savantMind, type SavantMind } from './savant/mind.ts';
import type { SavantState } from './savant/states.ts';

/** Governors with rules of their own: one for long coding work, a more patient one, and one for agents that search. */
export type SeedPreset = 'nexora' | 'nexora-lenient' | 'savant';

/** Which governor watches; `pawl` has the rules of a session. */
export type TrackerPreset = 'pawl' | SeedPreset;

export const seedPresets: readonly SeedPreset[] = ['nexora', 'nexora-lenient', 'savant'];
export const trackerPresets: readonly TrackerPreset[] = ['pawl', ...seedPresets];

export type SeedMind = NexoraMind | SavantMind;
export type TrackerMind = PawlMind | SeedMind;

type Kinds = {
  readonly pawl: { readonly config: PawlConfig; readonly state: PawlState };
  readonly nexora: { readonly config: NexoraConfig; readonly state: NexoraState };
  readonly 'nexora-lenient': { readonly config: NexoraConfig; readonly state: NexoraState };
  readonly savant: { readonly config: SavantConfig; readonly state: SavantState };
};

/** The names of the states of a preset. */
export type StateOf<Preset extends TrackerPreset> = Kinds[Preset]['state'];

/** What may be configured of a preset, each key in camelCase or in snake_case. */
export type TrackerConfig<Preset extends TrackerPreset> = Given<Kinds[Preset]['config']>;

export function mindOf(preset: TrackerPreset, given: object, at: number): TrackerMind {
  switch (preset) {
    case 'pawl':
      return pawlMind(pawlConfig(given), at);
    case 'nexora':
      return nexoraMind(nexoraConfig(given), at);
    case 'nexora-lenient':
      return nexoraMind(nexoraConfig(given, lenient), at);
    case 'savant':
      return savantMind(savantConfig(given), at);
    default:
      throw new TypeError(
        `There is no preset ${String(preset)}. The presets are ${trackerPresets.join(', ')}.`,
      );
  }
}
