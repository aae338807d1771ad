import * as fc from 'fast-check';

// Property tests use the same cases in every run, so that a failure is caused by a change. `npm run test:soak`
// draws new cases each time; a failure prints its seed.
if (process.env['PAWL_SOAK'] !== '1') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
