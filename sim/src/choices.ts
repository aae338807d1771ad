import { createRandom, type Random } from './random.ts';

/** Choices that were not the plain one, by name. What is not in it was, or is to be, the plain choice: 0. */
export type Script = Readonly<Record<string, number>>;

/**
 * Everything in a run that could have gone otherwise: which of several things happens next, whether something fails. The
 * same choices make the same run. Each has a name, so that taking one away leaves the others what they were.
 */
export type Choices = {
  choose(name: string, draw: (random: Random) => number): number;
  /** Those made so far that were not the plain one. */
  made(): Script;
};

/** Drawn by chance. */
export function drawChoices(seed: number): Choices {
  const random = createRandom(seed);
  const made: Record<string, number> = {};
  const numbered = numbering();
  return {
    choose(name, draw) {
      const key = numbered(name);
      const value = draw(random);
      if (value !== 0) made[key] = value;
      return value;
    },
    made: () => made,
  };
}

/** As they are written down. */
export function followScript(script: Script): Choices {
  const numbered = numbering();
  return {
    choose: (name) => script[numbered(name)] ?? 0,
    made: () => script,
  };
}

/** The third choice of a name is `name#3`. */
function numbering(): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}#${count}`;
  };
}
