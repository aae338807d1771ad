// Reads the results that vitest wrote as JSON, prints one line of counts, and fails unless every test ran and passed.
// Plain JavaScript: the continuous-integration script calls it on the machine's own Node.
import { existsSync, readFileSync } from 'node:fs';

const file = process.argv[2];
if (file === undefined || !existsSync(file)) {
  console.error(`Expected the results of vitest as a JSON file, got ${file ?? 'no argument'}.`);
  process.exit(1);
}

const total = count(JSON.parse(readFileSync(file, 'utf8')));
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.passed === 0) console.error('No test passed: nothing was shown.');
if (total.skipped > 0)
  console.error('A test that is skipped or still to do shows nothing: run it or remove it.');
process.exitCode = total.passed > 0 && total.failed === 0 && total.skipped === 0 ? 0 : 1;

function count({ testResults }) {
  const statuses = testResults.flatMap((testFile) => testFile.assertionResults.map(({ status }) => status));
  // A file that cannot even be loaded has no tests to fail.
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed: failed + broken.length, skipped: statuses.length - passed - failed };
}
