import type { TrackerConfigInput } from '../json/config-field.ts';
import {
  lenientNexoraConfig,
  parseNexoraConfig,
  type NexoraConfig,
  createNexoraDetector,
  type NexoraDetectorState,
  type NexoraState,
} from './nexora.ts';
import {
  parsePawlConfig,
  type PawlConfig,
  createPawlDetector,
  type PawlDetectorState,
  type PawlState,
} from './pawl.ts';
import {
  parseSavantConfig,
  type SavantConfig,
  createSavantDetector,
  type SavantDetectorState,
  type SavantState,
} from './savant.ts';

/** Governors with their own rules: one for long coding tasks, a more lenient one, and one for agents that search. */
export type SeedPreset = 'nexora' | 'nexora-lenient' | 'savant';

/** The governor of a tracker; `pawl` uses the rules of a session. */
export type TrackerPreset = 'pawl' | SeedPreset;

export const seedPresets: readonly SeedPreset[] = ['nexora', 'nexora-lenient', 'savant'];
export const trackerPresets: readonly TrackerPreset[] = ['pawl', ...seedPresets];

export type SeedDetectorState = NexoraDetectorState | SavantDetectorState;
export type TrackerDetectorState = PawlDetectorState | SeedDetectorState;

type PresetTypes = {
  readonly pawl: { readonly config: PawlConfig; readonly state: PawlState };
  readonly nexora: { readonly config: NexoraConfig; readonly state: NexoraState };
  readonly 'nexora-lenient': { readonly config: NexoraConfig; readonly state: NexoraState };
  readonly savant: { readonly config: SavantConfig; readonly state: SavantState };
};

/** The state names of a preset. */
export type PresetState<Preset extends TrackerPreset> = PresetTypes[Preset]['state'];

/** The configuration of a preset, with keys in camelCase or snake_case. */
export type TrackerConfig<Preset extends TrackerPreset> = TrackerConfigInput<PresetTypes[Preset]['config']>;

export function createDetector(preset: TrackerPreset, given: object, at: number): TrackerDetectorState {
  switch (preset) {
    case 'pawl':
      return createPawlDetector(parsePawlConfig(given), at);
    case 'nexora':
      return createNexoraDetector(parseNexoraConfig(given), at);
    case 'nexora-lenient':
      return createNexoraDetector(parseNexoraConfig(given, lenientNexoraConfig), at);
    case 'savant':
      return createSavantDetector(parseSavantConfig(given), at);
    default:
      throw new TypeError(
        `There is no preset ${String(preset)}. The presets are ${trackerPresets.join(', ')}.`,
      );
  }
}
