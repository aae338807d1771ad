// Reads vitest's JSON results, prints one line of counts, and fails unless every test ran and passed. Each failure is
// listed on standard error. With --allow-skips, skipped tests are accepted. Plain JavaScript, because the CI script
// runs it with the machine's own Node.
import { existsSync, readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const files = args.filter((arg) => arg !== '--allow-skips');
const maySkip = args.includes('--allow-skips');
const absent = files.length === 0 ? 'no argument' : files.find((file) => !existsSync(file));
if (absent !== undefined) {
  console.error(`Expected the results of vitest as JSON files, got ${absent}.`);
  process.exit(1);
}

const testFiles = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults);
const failures = testFiles.flatMap(listFailures);
const total = countTests();
for (const { name, message } of failures) console.error(`failed: ${name}\n    ${message.split('\n', 1)[0]}`);
if (total.passed === 0) console.error('No test passed: nothing was shown.');
if (total.skipped > 0 && !maySkip) console.error('Skipped tests show nothing: run them or remove them.');
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.passed > 0 && total.failed === 0 && (maySkip || total.skipped === 0) ? 0 : 1;

function countTests() {
  const statuses = testFiles.flatMap((testFile) => testFile.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed: failures.length, skipped: statuses.length - passed - failed };
}

/** The failed tests of a file, or the file itself if it failed to load and so has no tests. */
function listFailures({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [{ name, message: message ?? '' }];
  return failed.map((test) => ({
    name: `${name}: ${test.fullName}`,
    message: test.failureMessages?.[0] ?? '',
  }));
}
