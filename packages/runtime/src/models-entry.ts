export { modelLimits } from './models/deadlines.ts';
export type { ModelLimits } from './models/deadlines.ts';
export { createLibrarian } from './models/librarian.ts';
export { createLkjLibrarian } from './protocols/lkj-librarian.ts';
export type { ModelPrices } from './models/prices.ts';
export { createAiSdkModel } from './models/providers/ai-sdk-model.ts';
export type { AiSdkModelOptions } from './models/providers/ai-sdk-model.ts';
export { createGuardedFetch } from './models/providers/guarded-fetch.ts';
export {
  knownProviders,
  ModelSpecError,
  type ModelSpecErrorCode,
} from './models/providers/known-providers.ts';
export {
  formatInstallCommand,
  formatTrustCommand,
  locateProviderPackage,
  revokeProjectPackage,
  trustProjectPackage,
  type ProviderPackageLocation,
} from './models/providers/provider-packages.ts';
export { createModelFromSpec, modelSpecs, parseModelSpec } from './models/providers/model-from-spec.ts';
export type { NamedModelOptions } from './models/providers/model-from-spec.ts';
export type { EnvironmentVariables } from './platform/platform.ts';
export { buildModelRequest } from './agent/prompt.ts';
export { createScriptedModel } from './models/scripted.ts';
export type { ScriptedReply } from './models/scripted.ts';
