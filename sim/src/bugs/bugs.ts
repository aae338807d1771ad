import { soundAssembly, type ProcessAssembly } from '../process-assembly.ts';
import { agentBugs } from './agent-bugs.ts';
import type { PlantedBug } from './bug.ts';
import { storeBugs } from './store-bugs.ts';
import { toolBugs } from './tool-bugs.ts';

/** Mutation tests of the simulation itself: it must detect each of these bugs. */
export const plantedBugs: readonly PlantedBug[] = [...storeBugs, ...agentBugs, ...toolBugs];

/** Returns the assembly with the given bug, or the sound assembly for null. */
export function getBuggyAssembly(name: string | null): ProcessAssembly {
  if (name === null) return soundAssembly;
  const bug = plantedBugs.find((each) => each.name === name);
  if (bug === undefined) {
    const known = plantedBugs.map((each) => each.name).join(', ');
    throw new Error(`There is no planted bug named ${JSON.stringify(name)}. The planted bugs are: ${known}.`);
  }
  return { ...soundAssembly, ...bug.parts };
}
