import { soundAssembly, type Assembly } from '../assembly.ts';
import { agentBugs } from './agent-bugs.ts';
import type { Bug } from './bug.ts';
import { storeBugs } from './store-bugs.ts';
import { toolBugs } from './tool-bugs.ts';

/** Whoever tests the runtime is tested by these: each must be found. */
export const bugs: readonly Bug[] = [...storeBugs, ...agentBugs, ...toolBugs];

/** The assembly with this bug in it; null for none. */
export function bugNamed(name: string | null): Assembly {
  if (name === null) return soundAssembly;
  const bug = bugs.find((each) => each.name === name);
  if (bug === undefined) {
    const known = bugs.map((each) => each.name).join(', ');
    throw new Error(`There is no planted bug named ${JSON.stringify(name)}. There are: ${known}.`);
  }
  return { ...soundAssembly, ...bug.parts };
}
