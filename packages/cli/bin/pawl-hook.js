#!/usr/bin/env node
// The former entry of hooks, which the settings of agents may still name.
await import('./pawl-hook.cjs');
