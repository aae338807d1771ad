import { ConfigFileError, findConfig, readConfigFile, trustStore } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { visible } from '../visible.ts';
import { contentsOf } from './config-layers.ts';
import { folderNamed } from '../folder-option.ts';

export type TrustOptions = { readonly revoke?: boolean };

/** Lets the configuration of a folder take effect, as it is now; any change of it asks again. */
export async function trust(dir: string, { revoke = false }: TrustOptions, io: Io): Promise<ExitCode> {
  const folder = await folderNamed(dir);
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
        `${folder} has no configuration (pawl.config.json, .yaml, .yml or .ts), so there is nothing to trust. To write one: pawl init`,
      );
    }
    const read = await readConfigFile(path);
    await store.trust(folder, contentsOf(read));
    io.stdout.write(`${visible(read.text).trimEnd()}\n\n${path} is trusted as it stands above.\n`);
    return exitCodes.finished;
  } catch (error) {
    throw asUsageError(error, ConfigFileError);
  }
}
