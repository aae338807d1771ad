import type { Json, ToolResultStatus } from '../../src/index.ts';

/** A result as a program prints it, and what is to be read in it. */
export type ToolResultCase = {
  readonly status: ToolResultStatus;
  readonly tool: string;
  readonly args: Json;
  readonly output: string;
  readonly exitCode?: number;
  readonly isError?: boolean;
};

type KnownMark = Pick<ToolResultCase, 'exitCode' | 'isError'>;

/** A shell command with its output. */
function command(
  status: ToolResultStatus,
  script: string,
  output: string,
  mark: KnownMark = {},
): ToolResultCase {
  return { status, tool: 'bash', args: { command: script }, output, ...mark };
}

function call(
  status: ToolResultStatus,
  tool: string,
  args: Json,
  { output, ...mark }: KnownMark & { readonly output: string },
): ToolResultCase {
  return { status, tool, args, output, ...mark };
}

const trace =
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    print(1/0)\n          ~^~\nZeroDivisionError: division by zero';
const nodeCrash =
  '/app/a.js:1\nx.foo()\n^\n\nReferenceError: x is not defined\n    at Object.<anonymous> (/app/a.js:1:1)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at node:internal/main/run_main_module:28:49';
const pytestFailed =
  'tests/test_a.py ..F\n\n=================================== FAILURES ===================================\n    def test_a():\n>       assert f() == 2\nE       assert 1 == 2\n\ntests/test_a.py:3: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_a.py::test_a - assert 1 == 2\n========================= 1 failed, 2 passed in 0.03s ==========================';
const jestFailed =
  'FAIL src/sum.test.js\n  ✕ adds (3 ms)\n\n  ● adds\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nTime:        0.61 s';
const gccError =
  'a.c: In function ‘main’:\na.c:1:13: error: ‘retrn’ undeclared (first use in this function)\n    1 | int main(){ retrn 0; }\n      |             ^~~~~';

/** The ten kinds of failures that every entry point must detect. */
export const failureKinds: readonly (readonly [name: string, script: string, output: string])[] = [
  ['a missing file', 'cat notes.txt', 'cat: notes.txt: No such file or directory'],
  ['an unknown command', 'javac Main.java', 'bash: line 12: javac: command not found'],
  ['make', 'make all', 'cc -c a.c\nmake: *** [Makefile:2: all] Error 1'],
  ['TypeScript', 'npx tsc -p .', "src/a.ts(3,7): error TS2304: Cannot find name 'x'."],
  ['jest', 'npx jest', jestFailed],
  ['pytest', 'pytest -q', pytestFailed],
  [
    'npm',
    'npm run nope',
    'npm ERR! Missing script: "nope"\nnpm ERR! A complete log of this run can be found in: /home/dev/.npm/_logs/x.log',
  ],
  ['a traceback of Python', 'python3 a.py', trace],
  ['gcc', 'gcc a.c -o a', gccError],
  ['an exit code after the text', './deploy.sh', 'Deploying to staging\nexit status 1'],
];

const failures: readonly ToolResultCase[] = [
  ...failureKinds.map(([, script, output]) => command('failed', script, output)),
  // The same with an exit code that a pipeline hides.
  ...failureKinds
    .filter(([name]) => !name.startsWith('an exit'))
    .map(([, script, output]) => command('failed', `${script} 2>&1 | tail -40`, output, { exitCode: 0 })),
  // Shells and small programs.
  command('failed', 'foo --x', 'sh: 1: foo: not found'),
  command('failed', 'foo', 'zsh: command not found: foo'),
  command('failed', 'foo', '(eval):1: command not found: foo'),
  command('failed', 'foo', 'fish: Unknown command: foo'),
  command('failed', 'cd fastjson/', 'bash: line 62215: cd: fastjson/: No such file or directory'),
  command('failed', 'ls nofile', "ls: cannot access 'nofile': No such file or directory"),
  command('failed', 'rm nofile', "rm: cannot remove 'nofile': No such file or directory"),
  command('failed', 'grep x nofile', 'grep: nofile: No such file or directory', { exitCode: 2 }),
  command('failed', './run.sh', 'bash: ./run.sh: Permission denied'),
  command('failed', 'touch /etc/x', "touch: cannot touch '/etc/x': Permission denied"),
  command(
    'failed',
    'echo "a',
    'bash: -c: line 1: unexpected EOF while looking for matching `"\'\nbash: -c: line 2: syntax error: unexpected end of file',
  ),
  command('failed', "sed -n '3,1x' a", "sed: -e expression #1, char 4: unknown option to `s'"),
  command(
    'failed',
    'tar xf a.tar',
    'tar: a.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now',
  ),
  command('failed', 'mkdir /proc/x', 'mkdir: cannot create directory ‘/proc/x’: No such file or directory'),
  command(
    'failed',
    'Get-Foo',
    "Get-Foo : The term 'Get-Foo' is not recognized as the name of a cmdlet, function, script file, or operable program.\nAt line:1 char:1\n    + CategoryInfo          : ObjectNotFound: (Get-Foo:String) [], CommandNotFoundException\n    + FullyQualifiedErrorId : CommandNotFoundException",
  ),
  command(
    'failed',
    'foo',
    "'foo' is not recognized as an internal or external command,\noperable program or batch file.",
  ),
  command('failed', './a.out', 'Segmentation fault (core dumped)'),
  command(
    'failed',
    './train.sh',
    'epoch 1\n./train.sh: line 3: 12345 Killed                  python train.py',
  ),
  // Compilers and build tools.
  command(
    'failed',
    'gcc l.c',
    "/usr/bin/ld: /tmp/ccZTJfAH.o: in function `main':\nl.c:(.text+0xa): undefined reference to `f'\ncollect2: error: ld returned 1 exit status",
  ),
  command('failed', 'clang a.c', "a.c:1:13: error: use of undeclared identifier 'retrn'\n1 error generated."),
  command('failed', 'make nope', "make: *** No rule to make target 'nope'.  Stop."),
  command(
    'failed',
    'ninja -C build',
    "ninja: Entering directory `build'\nFAILED: a.o\nninja: build stopped: subcommand failed.",
  ),
  command(
    'failed',
    'cmake ..',
    'CMake Error at CMakeLists.txt:3 (find_package):\n  By not providing "FindX.cmake"\n-- Configuring incomplete, errors occurred!',
  ),
  command(
    'failed',
    'cargo build',
    'error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n\nerror: could not compile `a` (bin "a") due to 1 previous error',
  ),
  command(
    'failed',
    'cargo test',
    'running 1 test\ntest a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 0.00s',
    { exitCode: 101 },
  ),
  command('failed', 'go build ./...', '# example.com/a\n./main.go:3:2: undefined: x'),
  command(
    'failed',
    'go test ./...',
    '--- FAIL: TestA (0.00s)\n    a_test.go:5: got 1\nFAIL\nFAIL\texample.com/a\t0.002s',
  ),
  command(
    'failed',
    'go run .',
    'panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2',
  ),
  command('failed', 'javac A.java', "A.java:3: error: ';' expected\n    int x = 1\n             ^\n1 error"),
  command(
    'failed',
    'java A',
    'Exception in thread "main" java.lang.NullPointerException\n\tat A.main(A.java:3)',
  ),
  command(
    'failed',
    'mvn -q test',
    '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE',
  ),
  command(
    'failed',
    './gradlew test',
    '> Task :test FAILED\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s',
  ),
  command('failed', 'swift build', "/app/Sources/a.swift:1:1: error: cannot find 'foo' in scope"),
  command(
    'failed',
    'npx tsc --noEmit',
    "src/a.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error in src/a.ts:3",
  ),
  command(
    'failed',
    './a',
    "thread 'main' panicked at src/main.rs:2:5:\nexplicit panic\nnote: run with `RUST_BACKTRACE=1`",
  ),
  command(
    'failed',
    './b',
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  x\nAborted (core dumped)",
  ),
  // Test runners.
  command(
    'failed',
    'npx vitest run',
    ' FAIL  src/a.test.ts > a\nAssertionError: expected 1 to be 2\n\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)',
  ),
  command('failed', 'npx mocha', '  1 passing (4ms)\n  1 failing\n\n  1) a'),
  command('failed', 'pytest -q', '..F\n1 failed, 2 passed in 0.03s'),
  command(
    'failed',
    'pytest',
    'ERROR tests/test_a.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.16s ===============================',
  ),
  command(
    'failed',
    'python -m unittest',
    'F\n======================================================================\nFAIL: test_a (a.T)\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nFAILED (failures=1)',
  ),
  command(
    'failed',
    'bundle exec rspec',
    'Finished in 0.01 seconds\n3 examples, 1 failure\n\nFailed examples:',
  ),
  command('failed', 'vendor/bin/phpunit', 'FAILURES!\nTests: 3, Assertions: 3, Failures: 1.'),
  command('failed', 'node --test', '# tests 3\n# pass 2\n# fail 1\nnot ok 2 - a'),
  // Package managers.
  command(
    'failed',
    'npm i',
    'npm error code ENOENT\nnpm error syscall open\nnpm error path /app/package.json',
  ),
  command('failed', 'pnpm i', ' ERR_PNPM_NO_PKG_MANIFEST  No package.json found in /app'),
  command(
    'failed',
    'yarn build',
    '$ tsc\nerror Command failed with exit code 2.\ninfo Visit https://yarnpkg.com/en/docs/cli/run',
  ),
  command(
    'failed',
    'pip install nopackage',
    'ERROR: Could not find a version that satisfies the requirement nopackage (from versions: none)\nERROR: No matching distribution found for nopackage',
  ),
  command(
    'failed',
    'apt-get install -y foo',
    'Reading package lists...\nBuilding dependency tree...\nE: Unable to locate package foo',
  ),
  command('failed', 'gem install foo', "ERROR:  Could not find a valid gem 'foo' (>= 0) in any repository"),
  command('failed', 'cargo add nope', 'error: the crate `nope` could not be found in registry index.'),
  // Network, containers, databases, version control.
  command(
    'failed',
    'curl -sS http://127.0.0.1:9/',
    "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
  ),
  command(
    'failed',
    'wget http://x.test/a',
    '--2026-01-01 10:00:00--  http://x.test/a\nHTTP request sent, awaiting response... 404 Not Found\n2026-01-01 10:00:00 ERROR 404: Not Found.',
  ),
  command(
    'failed',
    'curl -i http://x.test/',
    'HTTP/1.1 500 Internal Server Error\nContent-Type: text/html\n\n<h1>oops</h1>',
  ),
  command('failed', 'curl -s http://x.test/api', '{"error":{"code":"invalid_key","message":"Bad key"}}'),
  command('failed', 'curl -s http://x.test/api', '{"message":"Not Found","status":"404"}'),
  command('failed', 'ssh nohost', 'ssh: Could not resolve hostname nohost: Name or service not known'),
  command('failed', 'sqlite3 x.db "select * from nope"', 'Error: in prepare, no such table: nope'),
  command(
    'failed',
    'psql -c "select * from nope"',
    'ERROR:  relation "nope" does not exist\nLINE 1: select * from nope',
  ),
  command(
    'failed',
    'mysql -e "selec 1"',
    'ERROR 1064 (42000) at line 1: You have an error in your SQL syntax',
  ),
  call(
    'failed',
    'sql',
    { query: 'select nope' },
    { output: "Error executing query: Unknown column 'nope' in 'field list'" },
  ),
  command('failed', 'git log', 'fatal: not a git repository (or any of the parent directories): .git'),
  command('failed', 'git foo', "git: 'foo' is not a git command. See 'git --help'."),
  command('failed', 'git checkout nope', "error: pathspec 'nope' did not match any file(s) known to git"),
  command(
    'failed',
    'git merge x',
    'Auto-merging a.txt\nCONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed; fix conflicts and then commit the result.',
  ),
  command(
    'failed',
    'git push',
    ' ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs',
  ),
  command(
    'failed',
    'docker run nope',
    "Unable to find image 'nope:latest' locally\ndocker: Error response from daemon: pull access denied for nope.",
  ),
  command(
    'failed',
    'docker ps',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ),
  command('failed', 'kubectl get pod x', 'Error from server (NotFound): pods "x" not found'),
  // Languages.
  command('failed', 'node a.js', nodeCrash),
  command('failed', 'node a.js 2>&1 | head -20', nodeCrash, { exitCode: 0 }),
  command(
    'failed',
    'python3 -c "import nope"',
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nModuleNotFoundError: No module named \'nope\'',
  ),
  command('failed', 'python -m pytest', '/usr/bin/python: No module named pytest'),
  call(
    'failed',
    'python',
    { code: 'x' },
    {
      output:
        "NameError                                 Traceback (most recent call last)\nCell In[2], line 1\n----> 1 x\n\nNameError: name 'x' is not defined",
    },
  ),
  // Clients.
  call(
    'failed',
    'shell',
    { command: ['bash', '-lc', 'make'] },
    { output: '{"output":"boom","metadata":{"exit_code":2,"duration_seconds":0.1}}' },
  ),
  command(
    'failed',
    'make',
    'Chunk ID: 4d1a\nWall time: 0.0510 seconds\nProcess exited with code 127\nOriginal token count: 3\nOutput:\nboom',
  ),
  command('failed', 'make', 'Exit code: 2\nWall time: 0.1 seconds\nOutput:\nboom'),
  command('failed', 'make', 'Exit code 2\nboom'),
  command('failed', 'make', 'The command ended with exit code 2.\nboom'),
  command(
    'failed',
    'make',
    'Command: make\nDirectory: (root)\nOutput: boom\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 17',
  ),
  command('failed', 'make', 'Output: boom\nExit Code: 2\nProcess Group PGID: 17'),
  command(
    'failed',
    'make',
    '<untrusted_context>\nOutput: boom\nExit Code: 2\nProcess Group PGID: 17\n</untrusted_context>',
  ),
  command('failed', 'make', '[Command exited with code 2]\n\n[stderr]\nboom\n'),
  command('failed', 'make', '<returncode>2</returncode>\n<output>\nboom\n</output>'),
  command('failed', 'make', 'boom\n<shellId: 3 completed with exit code 2>'),
  command('failed', 'make', '<detached command with shellId: build completed with exit code 2>'),
  command('failed', 'make', 'Error executing tool Bash: Error (exit code 2): boom\n'),
  command(
    'failed',
    'make',
    '[{"query":"make","result":"[Command exited with code 2]\\nboom\\n","error":"Command exited with code 2","success":false}]',
  ),
  call(
    'failed',
    'read_files',
    { paths: ['a'] },
    { output: '[{"query":"a","result":"","error":"ENOENT: no such file or directory","success":false}]' },
  ),
  command(
    'failed',
    'cat missing.txt',
    'Error executing tool Bash: Error (exit code 1): cat: missing.txt: No such file or directory\n',
  ),
  call('failed', 'Read', { filepath: 'a' }, { output: 'Error executing tool Read: File does not exist: a' }),
  command(
    'failed',
    'make',
    'boom\n[The command completed with exit code 2.]\n[Current working directory: /app]',
  ),
  command('failed', 'make', 'boom\n[Command finished with exit code 2]'),
  command('failed', 'make', 'Command failed with exit code 2.\nOutput:\nboom'),
  command('failed', 'make', 'boom\ncommand terminated with exit code 2'),
  call(
    'failed',
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: 'y' },
    { output: '<tool_use_error>String to replace not found in file.</tool_use_error>' },
  ),
  call(
    'failed',
    'read_file',
    { path: 'a' },
    { output: "Error: ENOENT: no such file or directory, open '/a'" },
  ),
  call(
    'failed',
    'str_replace_editor',
    { command: 'view', path: '/a' },
    { output: 'The path /a does not exist. Please provide a valid path.' },
  ),
  call('failed', 'get_order', { id: 1 }, { output: 'Error: order not found' }),
  call('failed', 'create_issue', { title: 'x' }, { output: '{"success":false,"message":"no permission"}' }),
  call(
    'failed',
    'create_issue',
    { title: 'x' },
    { output: '{"content":[{"type":"text","text":"no"}],"isError":true}' },
  ),
  call('failed', 'anything', {}, { output: 'It is what it is.', isError: true }),
  command('failed', 'grep -r x src', '', { exitCode: 2 }),
  command('failed', './check.sh', 'still pending', { isError: true }),
];

const log =
  '2026-01-01 10:00:00 ERROR payment failed\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: x\n2026-01-01 10:00:01 FATAL giving up';

const successes: readonly ToolResultCase[] = [
  // Printing what is stored.
  command(
    'succeeded',
    'grep error app.log',
    'ERROR payment failed\nerror: timeout\nTraceback (most recent call last):',
  ),
  command('succeeded', 'cat app.log', log),
  command('succeeded', 'tail -n 50 build.log', `${pytestFailed}\nmake: *** [all] Error 2`),
  command('succeeded', "sed -n '1,20p' app.log", log, { exitCode: 0 }),
  command('succeeded', 'cd /app && cat ci/last-run.txt | head -n 40', jestFailed),
  command(
    'succeeded',
    'git log --oneline',
    '1a2b3c4 fix error in parser\n2b3c4d5 Handle failed uploads\n3c4d5e6 fatal: rename',
  ),
  command('succeeded', 'git diff', '-  throw new Error("failed");\n+  return null; // error: none'),
  command('succeeded', 'git show HEAD', 'commit 1a2b\n\n    error: describe it\n\n+npm ERR! is printed'),
  command('succeeded', 'git status', 'On branch main\nnothing to commit, working tree clean'),
  command('succeeded', 'ls src', 'error.ts\nfailed-jobs.ts\nfatal.ts'),
  command('succeeded', 'find . -name "*error*"', './src/error.ts\n./test/errors.test.ts'),
  command('succeeded', 'echo "Error: this is a test"', 'Error: this is a test'),
  command('succeeded', 'head -5 README.md', '# Error handling\n\nError: what to do when a call failed.'),
  command('succeeded', 'rg -n "panic:" src', 'src/a.go:3:  // panic: never'),
  command('succeeded', 'docker logs web', log),
  command('succeeded', 'journalctl -u web -n 3', 'Jan 01 10:00:00 host web[12]: error: connection refused'),
  command('succeeded', 'cat package.json', '{"name":"a","error":"none of your business","status":"failed"}'),
  command('succeeded', 'jq . result.json', '{"success": false, "error": "x"}'),
  command('succeeded', 'wc -l error.log', '12 error.log'),
  command('succeeded', 'awk "/error/" a.log', 'error: one\nerror: two'),
  command('succeeded', 'cat a.py', 'raise ValueError("x")\n# Traceback (most recent call last):'),
  call('succeeded', 'read_file', { path: 'app.log' }, { output: log }),
  call(
    'succeeded',
    'Read',
    { file_path: '/app/src/error.ts' },
    { output: '     1\texport class FatalError extends Error {}\n     2\t// error TS2304: example' },
  ),
  call(
    'succeeded',
    'Read',
    { file_path: '/app/error.md' },
    { output: 'Error: how to read messages', isError: false },
  ),
  call(
    'succeeded',
    'str_replace_editor',
    { command: 'view', path: '/a.py' },
    { output: "Here's the result of running `cat -n` on /a.py:\n     1\traise ValueError('failed')" },
  ),
  call(
    'succeeded',
    'Grep',
    { pattern: 'error' },
    { output: 'src/a.ts:3: throw new Error("failed")\nsrc/b.ts:9: // fatal: never' },
  ),
  call(
    'succeeded',
    'web_search',
    { query: 'npm ERR! code ENOENT' },
    { output: '1. How to fix npm ERR! code ENOENT\n2. npm error when installing: Stack Overflow' },
  ),
  call(
    'succeeded',
    'web_fetch',
    { url: 'http://x.test/docs' },
    { output: 'HTTP status codes\n\n404 Not Found: the resource does not exist.\n500 Internal Server Error' },
  ),
  call(
    'succeeded',
    'Edit',
    { file_path: 'a.ts', old_string: 'a', new_string: 'b' },
    { output: 'The file a.ts has been updated.\n     3\tthrow new Error("failed")' },
  ),
  call(
    'succeeded',
    'Write',
    { file_path: 'error.ts', content: 'x' },
    { output: 'File created successfully at: error.ts' },
  ),
  // Checks that pass and speak of errors.
  command('succeeded', 'pytest -q', '5 passed, 1 xfailed, 2 warnings in 0.12s'),
  command(
    'succeeded',
    'pytest',
    '============================== 12 passed in 0.51s ==============================',
    { exitCode: 0 },
  ),
  command(
    'succeeded',
    'npx jest',
    'PASS src/error.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total',
  ),
  command(
    'succeeded',
    'npx vitest run',
    ' ✓ src/fail.test.ts (3 tests) 4ms\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)',
  ),
  command(
    'succeeded',
    'cargo test',
    'running 2 tests\ntest error_is_reported ... ok\ntest fails_on_empty ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; finished in 0.00s',
  ),
  command('succeeded', 'go test ./...', 'ok  \texample.com/errors\t0.002s'),
  command('succeeded', 'npx mocha', '  Errors\n    ✔ are reported\n\n  1 passing (4ms)'),
  command(
    'succeeded',
    'mvn test',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS',
  ),
  command('succeeded', 'rspec', '3 examples, 0 failures'),
  command('succeeded', 'npx eslint .', '✖ 3 problems (0 errors, 3 warnings)'),
  command('succeeded', 'npx tsc -p . --pretty', 'Found 0 errors. Watching for file changes.'),
  command('succeeded', 'node --test', '# tests 3\n# pass 3\n# fail 0'),
  command('succeeded', './lint.sh', 'no errors found'),
  command('succeeded', './check.sh', '0 errors, 0 failed'),
  command(
    'succeeded',
    'gcc -Wall a.c',
    'a.c:1:13: warning: implicit declaration of function ‘f’ [-Wimplicit-function-declaration]',
    { exitCode: 0 },
  ),
  command(
    'succeeded',
    'npm i',
    'npm warn deprecated x@1: error-prone\n\nadded 12 packages in 2s\n\nfound 0 vulnerabilities',
  ),
  command('succeeded', 'pip install a', 'Requirement already satisfied: a in /usr/lib/python3'),
  command('succeeded', 'curl -s http://x.test/api', '{"error":null,"rows":[1]}'),
  command(
    'succeeded',
    'curl -i http://x.test/',
    'HTTP/1.1 200 OK\nContent-Type: application/json\n\n{"errors":[]}',
  ),
  command('succeeded', 'python run.py', 'handled: ValueError was raised as expected\nAll good'),
  command('succeeded', 'python run.py', `${trace}\nretrying...\ndone`, { exitCode: 0 }),
  command('succeeded', 'python reproduce.py', 'TypeError: None is not a valid unit', { exitCode: 0 }),
  command('succeeded', './migrate.sh', 'Failed jobs from last week were removed\nDone', { exitCode: 0 }),
  command(
    'succeeded',
    'kubectl get pods',
    'NAME   READY   STATUS   RESTARTS\nerror-page-7f   1/1   Running   0',
  ),
  command('succeeded', 'git push', 'To github.com:a/b\n   1a2b..3c4d  main -> main'),
  command(
    'succeeded',
    'git commit -m "Fix error: panic"',
    '[main 1a2b3c4] Fix error: panic\n 1 file changed',
  ),
  command('succeeded', 'make', 'gcc -c error.c\ngcc -o errors error.o'),
  command('succeeded', 'node -e "console.log(404)"', '404'),
  command('succeeded', 'python -c "print(503.9)"', '503.9771'),
  command('succeeded', 'mkdir -p a/b', ''),
  command('succeeded', 'diff a b', '1c1\n< error: one\n---\n> error: two', { exitCode: 1 }),
  command('succeeded', 'git diff --exit-code', 'diff --git a/a b/a\n-error: a', { exitCode: 1 }),
  command('succeeded', 'grep -r x . | head', 'grep: ./a.pyc: binary file matches'),
  command('succeeded', 'bash -c "exit 0"', 'exit code 0'),
  call('succeeded', 'calculator', { expression: '400+1' }, { output: '401' }),
  call('succeeded', 'get_flight_status', { id: 'A1' }, { output: '{"status":"cancelled","error_count":0}' }),
  call(
    'succeeded',
    'get_order',
    { id: 1 },
    { output: '{"id":1,"status":"failed","items":[],"total":3,"user":"a"}' },
  ),
  call(
    'succeeded',
    'shell',
    { command: ['bash', '-lc', 'ls'] },
    { output: '{"output":"error.ts","metadata":{"exit_code":0,"duration_seconds":0.1}}' },
  ),
  command('succeeded', 'ls', '<returncode>0</returncode>\n<output>\nfailed.txt\n</output>'),
  command('succeeded', 'ls', 'failed.txt\n<shellId: 3 completed with exit code 0>'),
  command('succeeded', 'cat log.txt', '<shellId: 3 completed with exit code 2>\nThe next command follows.'),
  command('empty', 'grep -r gone .', '<shellId: 3 completed with exit code 1>'),
  command('succeeded', 'grep -r tool .', 'log.txt:Error executing tool Bash: Error (exit code 2): boom'),
  command('empty', 'grep -r gone .', '(Bash completed with no output)'),
  command('succeeded', 'touch a', '[{"query":"touch a","result":"","success":true}]'),
  command('succeeded', 'cat a.json', '[{"name":"a","success":false}]'),
  command('succeeded', 'mkdir a', '(Bash completed with no output)'),
  command('empty', 'grep -r gone .', 'Error executing tool Bash: Error (exit code 1): '),
  command('succeeded', 'ls', 'Output: failed.txt\nProcess Group PGID: 17'),
  command(
    'succeeded',
    'ls',
    '<untrusted_context>\nOutput: failed.txt\nProcess Group PGID: 17\n</untrusted_context>',
  ),
  command(
    'succeeded',
    'ls',
    'a.txt\n[The command completed with exit code 0.]\n[Current working directory: /app]',
  ),
  call('succeeded', 'think', { thought: 'x' }, { output: 'Your thought has been logged.' }),
  // Nothing was found.
  command('empty', 'grep -r nope src', '', { exitCode: 1 }),
  command('empty', 'grep -r nope src', '', { isError: true }),
  command('empty', 'cd /app && rg nope', '', { exitCode: 1 }),
  command('empty', 'which nope', '', { exitCode: 1 }),
  command('empty', 'pgrep nope', '', { exitCode: 1 }),
  command('empty', 'test -f nope', '', { exitCode: 1 }),
  command('empty', '[ -f nope ]', '', { exitCode: 1 }),
  command('empty', 'find . -name nope', ''),
  command('empty', 'ls *.nope', 'Exit code 1\n'),
  call('empty', 'Grep', { pattern: 'nope' }, { output: 'No matches found' }),
  call('empty', 'Glob', { pattern: '*.nope' }, { output: 'No files found' }),
  call('empty', 'search', { query: 'nope' }, { output: '[]' }),
  call('empty', 'search_docs', { query: 'nope' }, { output: '{"results":[]}' }),
  call('empty', 'sql', { query: 'select 1 where false' }, { output: '(0 rows)' }),
  call('empty', 'sql', { query: 'select 1 where false' }, { output: 'Empty set (0.00 sec)' }),
  call('empty', 'web_search', { query: 'nope' }, { output: 'No results found for "nope".' }),
  call('empty', 'list_files', { path: 'a' }, { output: '' }),
  // Not yet.
  call('waiting', 'job_status', { id: 7 }, { output: 'The build is still running.' }),
  command(
    'waiting',
    'npm test',
    '3 passed\n<command with shellId: 3 is still running after 30 seconds. Use read_bash to read more.>',
  ),
  call('waiting', 'job_status', { id: 7 }, { output: '{"status":"queued"}' }),
  call('waiting', 'check_deployment', {}, { output: 'Deployment not yet ready' }),
  call(
    'waiting',
    'fetch',
    { url: 'http://x.test' },
    { output: '429 Too Many Requests. Retry-After: 30', isError: true },
  ),
  command(
    'waiting',
    'apt-get install -y x',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12',
    { exitCode: 100 },
  ),
  command(
    'waiting',
    'python job.py',
    'Wall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\nworking',
  ),
  call('waiting', 'api', {}, { output: 'Rate limit exceeded, try again in 20 seconds', isError: true }),
];

export const toolResultCases: readonly ToolResultCase[] = [...failures, ...successes];

/** Outputs of failed commands: those in one group have the same error class, those in different groups do not. */
export const errorGroups: readonly (readonly string[])[] = [
  [
    'bash: line 12: javac: command not found',
    'bash: line 13: javac: command not found',
    'bash: line 62215: javac: command not found',
  ],
  ['bash: line 12: mvn: command not found'],
  [
    'bash: line 5: cd: fastjson/: No such file or directory',
    'bash: line 905: cd: fastjson/: No such file or directory',
  ],
  ['sh: 1: foo: not found', 'sh: 22: foo: not found'],
  [
    "Error executing query: Unknown column 'a' in 'field list'",
    "Error executing query: Unknown column 'b' in 'field list'",
  ],
  ["Error executing query: Table 'a.b' doesn't exist", "Error executing query: Table 'a.c' doesn't exist"],
  [
    'make: *** [Makefile:2: all] Error 1',
    'Chunk ID: 1a2b\nWall time: 0.5 seconds\nProcess exited with code 2\nOutput:\nmake: *** [Makefile:7: all] Error 2',
  ],
  ['TypeError: x is not a function', 'Exit code 1\nTypeError: x is not a function'],
  ['TypeError: y is not iterable'],
  [
    "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
    "curl: (7) Failed to connect to 127.0.0.1 port 9 after 12 ms: Couldn't connect to server",
  ],
];
