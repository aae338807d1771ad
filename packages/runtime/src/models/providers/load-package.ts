import { ModelSpecError } from './model-spec-error.ts';

/** Loads a provider's package, which is an optional dependency. */
export async function loadProviderPackage<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingPackage(error, name)) throw error;
    const message = `The package ${name} is not installed. Install it with: npm install ${name}`;
    throw new ModelSpecError('missing-package', message, { cause: error });
  }
}

/** Whether this package is missing, rather than one of its dependencies. */
function isMissingPackage(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}
