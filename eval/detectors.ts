import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { auditWithPreset } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';
import { trackerPresets } from '@pawl/governor/tracker';
import type { StuckDetector, DetectorVerdict } from './score.ts';

/** A peer processes one step at a time and is not called again once it has ended the run. */
type PeerDetector = {
  readonly name: string;
  create(): { push(step: RecordedRun['steps'][number]): { readonly level: string } | null | undefined };
};

/** Creates one detector per named preset; a name may list several presets, separated by commas. */
export function createPresetDetectors(named: readonly string[]): readonly StuckDetector[] {
  const names = named.flatMap((each) => each.split(',')).map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const preset = trackerPresets.find((each) => each === name);
    if (preset === undefined) {
      throw new TypeError(
        `There is no preset ${JSON.stringify(name)}. The presets are ${trackerPresets.join(', ')}.`,
      );
    }
    return { name, verdicts: (run) => auditWithPreset(preset, run) };
  });
}

export async function loadPeerDetectors(file: string | undefined): Promise<readonly StuckDetector[]> {
  if (file === undefined) return [];
  const { peers } = (await import(pathToFileURL(resolve(file)).href)) as { peers: readonly PeerDetector[] };
  return peers.map((peer) => ({ name: peer.name, verdicts: (run) => replayThroughPeer(peer, run) }));
}

function replayThroughPeer(peer: PeerDetector, run: RecordedRun): readonly DetectorVerdict[] {
  const detector = peer.create();
  const verdicts: DetectorVerdict[] = [];
  for (const step of run.steps) {
    const verdict = detector.push(step);
    if (verdict === null || verdict === undefined || verdict.level === 'observe') continue;
    verdicts.push({ step: step.i, severity: verdict.level });
    if (verdict.level === 'ask' || verdict.level === 'stop') break;
  }
  return verdicts;
}
