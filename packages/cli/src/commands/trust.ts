import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConfigFileError, findConfig, readConfigFile, trustStore } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visible } from '../visible.ts';

export type TrustOptions = { readonly revoke?: boolean };

/** Lets the configuration of a folder take effect, as it is now; any change of it asks again. */
export async function trust(dir: string, { revoke = false }: TrustOptions, io: Io): Promise<ExitCode> {
  const folder = await realpath(dir).catch(() => {
    throw new UsageError(`There is no folder ${JSON.stringify(dir)}.`);
  });
  const store = trustStore();
  if (revoke) {
    const was = await store.revoke(folder);
    io.stdout.write(was ? `${folder} is no longer trusted.\n` : `${folder} was not trusted.\n`);
    return exitCodes.finished;
  }
  try {
    const path = await findConfig(folder);
    if (path === null) {
      throw new UsageError(
        `${folder} has no pawl.config.json or pawl.config.yaml, so there is nothing to trust.`,
      );
    }
    const { text } = await readConfigFile(path);
    await store.trust(folder, { [basename(path)]: text });
    io.stdout.write(`${visible(text).trimEnd()}\n\n${path} is trusted as it stands above.\n`);
    return exitCodes.finished;
  } catch (error) {
    throw error instanceof ConfigFileError ? new UsageError(error.message, { cause: error }) : error;
  }
}
