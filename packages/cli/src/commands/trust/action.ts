import { ConfigFileError, findConfigFile, toTrustedContents } from '@pawl/runtime/config';
import { readConfigFile } from '@pawl/runtime/config-files';
import {
  knownProviders,
  locateProviderPackage,
  ModelSpecError,
  revokeProjectPackage,
  trustProjectPackage,
} from '@pawl/runtime/models';
import { createTrustStore } from '@pawl/runtime/trust';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeText } from '../../output/sanitize-text.ts';
import { resolveFolder } from '../../options/parse-options.ts';

export type TrustFolderOptions = { readonly revoke?: boolean };

/**
 * Trusts a folder's configuration and its packages for model providers in their current state; any change needs trust
 * again.
 */
export async function trustFolder(
  dir: string,
  { revoke = false }: TrustFolderOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const folder = await resolveFolder(dir);
  if (revoke) {
    const wasTrusted = await revokeTrust(folder);
    io.stdout.write(wasTrusted ? `${folder} is no longer trusted.\n` : `${folder} was not trusted.\n`);
    return exitCodes.finished;
  }
  try {
    const [configuration, packages] = [await trustConfiguration(folder), await trustPackages(folder)];
    if (configuration === null && packages.length === 0) {
      throw new UsageError(
        `${folder} has no configuration (pawl.config.json, .yaml, .yml or .ts) and no package of a model provider, so there is nothing to trust. Create a configuration: pawl init`,
      );
    }
    io.stdout.write([...(configuration ?? []), ...packages].map((line) => `${line}\n`).join(''));
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, ConfigFileError, ModelSpecError);
  }
}

/** Returns the lines to print; null if there is no configuration. */
async function trustConfiguration(folder: string): Promise<readonly string[] | null> {
  const path = await findConfigFile(folder);
  if (path === null) return null;
  const configFile = await readConfigFile(path);
  await createTrustStore().trust(folder, toTrustedContents(configFile));
  const text = sanitizeText(configFile.text).trimEnd();
  return [text, '', `${path} is now trusted with the contents above.`];
}

/** Trusts the packages that only this project has, and returns the lines to print. */
async function trustPackages(folder: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of listProviderPackages()) {
    if ((await locateProviderPackage(name, folder)).kind !== 'project') continue;
    const location = await trustProjectPackage(name, folder);
    lines.push(
      `${name} in ${location} is now trusted with the packages that it depends on, as they are now.`,
    );
  }
  return lines;
}

async function revokeTrust(folder: string): Promise<boolean> {
  const revoked = [await createTrustStore().revoke(folder)];
  for (const name of listProviderPackages()) revoked.push(await revokeProjectPackage(name, folder));
  return revoked.includes(true);
}

function listProviderPackages(): readonly string[] {
  return [...new Set([...knownProviders.values()].map(({ packageName }) => packageName))];
}
