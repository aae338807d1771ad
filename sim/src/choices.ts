import { createRandomSource, type RandomSource } from './random.ts';

/** The choices that differ from the default, by name. A choice that is not listed has the default value 0. */
export type ChoiceScript = Readonly<Record<string, number>>;

/**
 * Source of all nondeterminism in a run: which task runs next, whether something fails. The same choices produce the
 * same run. Each choice has a name, so that removing one does not change the others.
 */
export type ChoiceSource = {
  choose(name: string, draw: (random: RandomSource) => number): number;
  /** Returns the choices made so far that differ from the default. */
  getScript(): ChoiceScript;
};

/** Draws choices at random from a seed. */
export function createRandomChoices(seed: number): ChoiceSource {
  const random = createRandomSource(seed);
  const made: Record<string, number> = {};
  const numbered = createNameNumbering();
  return {
    choose(name, draw) {
      const key = numbered(name);
      const value = draw(random);
      if (value !== 0) made[key] = value;
      return value;
    },
    getScript: () => made,
  };
}

/** Replays choices from a script. */
export function createScriptedChoices(script: ChoiceScript): ChoiceSource {
  const numbered = createNameNumbering();
  return {
    choose: (name) => script[numbered(name)] ?? 0,
    getScript: () => script,
  };
}

/** Numbers repeated names: the third choice of a name is `name#3`. */
function createNameNumbering(): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}#${count}`;
  };
}
