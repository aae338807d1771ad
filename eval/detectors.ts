import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { auditWith, trackerPresets, type RecordedRun } from '@pawl/core';
import type { Detector, Told } from './score.ts';

/** A peer sees one step at a time and is not asked again once it has ended the run. */
type Peer = {
  readonly name: string;
  create(): { push(step: RecordedRun['steps'][number]): { readonly level: string } | null | undefined };
};

/** The presets that are named, each once; a text may name several, separated by commas. */
export function presetsOf(named: readonly string[]): readonly Detector[] {
  const names = named.flatMap((each) => each.split(',')).map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const preset = trackerPresets.find((each) => each === name);
    if (preset === undefined) {
      throw new TypeError(
        `There is no preset ${JSON.stringify(name)}. The presets are ${trackerPresets.join(', ')}.`,
      );
    }
    return { name, verdicts: (run) => auditWith(preset, run) };
  });
}

export async function peersOf(file: string | undefined): Promise<readonly Detector[]> {
  if (file === undefined) return [];
  const { peers } = (await import(pathToFileURL(resolve(file)).href)) as { peers: readonly Peer[] };
  return peers.map((peer) => ({ name: peer.name, verdicts: (run) => replay(peer, run) }));
}

function replay(peer: Peer, run: RecordedRun): readonly Told[] {
  const detector = peer.create();
  const told: Told[] = [];
  for (const step of run.steps) {
    const verdict = detector.push(step);
    if (verdict === null || verdict === undefined || verdict.level === 'observe') continue;
    told.push({ step: step.i, level: verdict.level });
    if (verdict.level === 'ask' || verdict.level === 'stop') break;
  }
  return told;
}
