import { isAbsolute, join, relative, sep } from 'node:path';
import type { Json } from '@pawl/core';
import { createFileSpool, createPhaseTools, indexFolder, withAgentKeys, type Storage } from '@pawl/runtime';
import { type Opened, type Outfit, type OutfitFor } from '@pawl/worker';
import type { Telemetry } from '@pawl/telemetry';
import { dataFolder } from '../data-folder.ts';
import { spoolFolder } from '../store-folder.ts';
import { UsageError } from '../usage-error.ts';
import { configOf, withModel } from './config-flags.ts';
import { profileNamed } from './profile-option.ts';
import { readAbout, type About } from './run-about.ts';
import { configFor } from './run-config.ts';
import { setUp } from './run-setup.ts';
import { observing } from './run-telemetry.ts';

export type WorkerPlace = {
  /** Only sessions that work in this folder, or below it. */
  readonly root: string;
  /** Where what is remembered about a folder is kept, by what is said about the session. */
  readonly storageOf: (dir: string, about: Json) => Storage;
  readonly warn: (line: string) => void;
  readonly telemetry?: Telemetry | null;
};

/** What a worker works on a submitted session with: the folder, the model and the rules that were named when it was submitted. */
export function workerOutfit({ root, storageOf, warn, telemetry = null }: WorkerPlace): OutfitFor {
  return async (opened) => {
    const about = aboutOf(opened.about, root);
    const { config, warnings } = await configFor(about.dir, configOf(about), null);
    const { profile } = withAgentKeys(await profileNamed(about.profile), config);
    const folder = await indexFolder(about.dir, { signal: opened.signal });
    try {
      return await outfitIn(opened, {
        folder,
        profile,
        flags: { ...about, ...withModel(about, config) },
        config,
        storage: storageOf(about.dir, opened.about),
        warn,
        warnings,
        telemetry,
      });
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  };
}

type Found = Pick<Parameters<typeof setUp>[0], 'folder' | 'profile' | 'flags' | 'config'> & {
  readonly storage: Storage;
  readonly warn: (line: string) => void;
  readonly warnings: readonly string[];
  readonly telemetry: Telemetry | null;
};

async function outfitIn(opened: Opened, { warn, warnings, telemetry, ...found }: Found): Promise<Outfit> {
  const { session, signal, askPeople, post, now } = opened;
  const phases = createPhaseTools({ post, phases: () => now().phases });
  const {
    means,
    see,
    close,
    warnings: more,
  } = await setUp({
    ...found,
    budgets: null,
    terminal: null,
    asks: { permission: (_, unwanted) => askPeople(unwanted), user: null },
    phases,
    signal,
    report: warn,
    id: session.id,
    session,
  });
  for (const line of [...warnings, ...more]) warn(line);
  const { session: _, ...outfit } = means;
  const tools = session.mode === null ? [...means.tools, ...phases] : means.tools;
  const observer = observing(telemetry, session);
  return {
    ...observer.within({ ...outfit, tools }),
    spool: createFileSpool(spoolFolder(join(dataFolder(), 'worker'), session.id)),
    observe(seen) {
      see(seen);
      observer.see(seen);
    },
    onTrouble: (trouble) => warn(trouble === null ? 'It goes on.' : trouble.message),
    async close() {
      observer.end();
      await close();
      found.folder[Symbol.dispose]();
    },
  };
}

/** Whoever can write to Redis says where a session works; where it may, whoever starts the worker says. */
function aboutOf(json: Json, root: string): About {
  const about = readAbout(json);
  if (about === null) throw new UsageError('It is not known where and with which model it is to work.');
  const way = relative(root, about.dir);
  const isOutside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  if (!isOutside) return about;
  throw new UsageError(
    `It works in ${about.dir}, and this worker only in ${root}. Start one with --dir there, then: pawl queue retry`,
  );
}
