export {
  createSystemProbe,
  resourceLimits,
  type ResourceProbe,
  type ResourceUsage,
  type ResourceLimits,
} from './resources/resource-pressure.ts';
export { watchResources } from './resources/watch-resources.ts';
export type { ResourceWatch, ResourceWatchOptions } from './resources/watch-resources.ts';
