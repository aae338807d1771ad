import { ModelSpecError } from './model-spec-error.ts';

/** Loads the package of a provider. It is installed only by those who use it. */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    const message = `The package ${name} is not installed. Install it with: npm install ${name}`;
    throw new ModelSpecError('missing-package', message, { cause: error });
  }
}

/** Whether it is this package that is missing, not one that it needs itself. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}
