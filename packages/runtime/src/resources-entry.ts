export { createSystemProbe } from './resources/probe.ts';
export type { ResourceProbe, ResourceUsage } from './resources/probe.ts';
export { resourceLimits } from './resources/resource-pressure.ts';
export type { ResourceLimits } from './resources/resource-pressure.ts';
export { watchResources } from './resources/watch-resources.ts';
export type { ResourceWatch, ResourceWatchOptions } from './resources/watch-resources.ts';
