import { ConfigFileError, findConfigFile, toTrustedContents } from '@pawl/runtime/config';
import { readConfigFile } from '@pawl/runtime/config-files';
import { createTrustStore } from '@pawl/runtime/trust';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeText } from '../../output/sanitize-text.ts';
import { resolveFolder } from '../../options/parse-options.ts';

export type TrustFolderOptions = { readonly revoke?: boolean };

/** Trusts a folder's configuration in its current state; any change needs trust again. */
export async function trustFolder(
  dir: string,
  { revoke = false }: TrustFolderOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const folder = await resolveFolder(dir);
  const store = createTrustStore();
  if (revoke) {
    const wasTrusted = await store.revoke(folder);
    io.stdout.write(wasTrusted ? `${folder} is no longer trusted.\n` : `${folder} was not trusted.\n`);
    return exitCodes.finished;
  }
  try {
    const path = await findConfigFile(folder);
    if (path === null) {
      throw new UsageError(
        `${folder} has no configuration (pawl.config.json, .yaml, .yml or .ts), so there is nothing to trust. Create one: pawl init`,
      );
    }
    const configFile = await readConfigFile(path);
    await store.trust(folder, toTrustedContents(configFile));
    io.stdout.write(
      `${sanitizeText(configFile.text).trimEnd()}\n\n${path} is now trusted with the contents above.\n`,
    );
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, ConfigFileError);
  }
}
