import { call, every, failed, longPage, say, shell, times, user, type ScriptedRun } from './script.ts';

/** Work that makes progress although it repeats calls, meets errors, waits or finds nothing. */
export const healthyRuns: readonly ScriptedRun[] = [
  // Paging, batches and enumeration
  {
    title: 'reads a long file page by page',
    kind: 'healthy',
    steps: times(14, (page) =>
      call(
        'read',
        { path: 'src/parser.ts', from: page * 100 + 1 },
        `${page * 100 + 1}: const part${page} = 1;`,
      ),
    ),
  },
  {
    title: 'reads the pages of an API with a cursor',
    kind: 'healthy',
    steps: times(12, (page) =>
      call(
        'http_get',
        { url: `https://api.test/items?cursor=${page}` },
        {
          items: [{ id: page * 2 }, { id: page * 2 + 1 }],
          next: String(page + 1),
        },
      ),
    ),
  },
  {
    title: 'scrolls a page in a browser',
    kind: 'healthy',
    steps: times(10, (at) =>
      call(
        'browser_scroll',
        { direction: 'down' },
        `Showing rows ${at * 20 + 1} to ${at * 20 + 20}: item ${at}`,
      ),
    ),
  },
  {
    title: 'presses the button for the next page again and again',
    kind: 'healthy',
    steps: times(9, (at) =>
      call('browser_click', { ref: 'next' }, `Page ${at + 2} of 40. Article ${at * 10}`),
    ),
  },
  {
    title: 'sends forty messages of a batch with the same answer',
    kind: 'healthy',
    advice: true,
    steps: times(40, (at) => call('send_email', { to: `user${at}@example.com` }, 'queued for delivery')),
  },
  {
    title: 'creates twenty files with the same confirmation',
    kind: 'healthy',
    steps: times(20, (at) =>
      call('write', { path: `locales/${at}.json`, content: `{"id": ${at}}` }, 'File written.'),
    ),
  },
  {
    title: 'deletes old records one by one',
    kind: 'healthy',
    advice: true,
    steps: times(15, (at) => call('sql', { query: `DELETE FROM logs WHERE id = ${at}` }, 'DELETE 1')),
  },
  {
    title: 'renames a symbol in many files',
    kind: 'healthy',
    steps: times(18, (at) =>
      call('edit', { path: `src/m${at}.ts`, old: 'getUser(', new: 'loadUser(' }, 'Edited 1 place.'),
    ),
  },
  {
    title: 'makes the same replacement at several places of one file',
    kind: 'healthy',
    advice: true,
    steps: times(4, (at) => [
      call('read', { path: 'a.ts', from: at * 50 }, `${at * 50}: assertEqual(x${at})`),
      call('edit', { path: 'a.ts', old: `assertEqual(x${at})`, new: `equal(x${at})` }, 'Edited 1 place.'),
    ]),
  },
  {
    title: 'tries all eight ports of a range',
    kind: 'healthy',
    advice: true,
    steps: [
      ...times(6, (at) =>
        failed(
          `nc -zv 127.0.0.1 ${8000 + at}`,
          `nc: connect to 127.0.0.1 port ${8000 + at} (tcp) failed: Connection refused`,
        ),
      ).flatMap((step, index) =>
        index === 3 ? [step, shell('ss -ltn', 'LISTEN 0 511 127.0.0.1:8006')] : [step],
      ),
      shell('nc -zv 127.0.0.1 8006', 'Connection to 127.0.0.1 8006 port [tcp/*] succeeded!'),
    ],
  },

  // Tests that fail before they pass
  {
    title: 'works red, green, red, green with one test command',
    kind: 'healthy',
    advice: true,
    steps: times(6, (at) => [
      call('edit', { path: 'sum.ts', old: `v${at}`, new: `v${at + 1}` }, 'Edited 1 place.'),
      failed('npm test', `Tests: ${6 - at} failed, ${4 + at} passed`),
    ]),
  },
  {
    title: 'fixes one compiler error after another',
    kind: 'healthy',
    advice: true,
    steps: times(7, (at) => [
      failed('npx tsc', `src/a${at}.ts(${at + 3},5): error TS23${at}4: Cannot find name 'x${at}'.`),
      call('edit', { path: `src/a${at}.ts`, old: `x${at}`, new: `y${at}` }, 'Edited 1 place.'),
    ]),
  },
  {
    title: 'runs a test that is meant to fail before it writes the code',
    kind: 'healthy',
    steps: [
      call('write', { path: 'a.test.ts', content: 'test 1' }, 'File written.'),
      failed('npm test', 'FAIL a.test.ts: add is not a function'),
      call('write', { path: 'a.ts', content: 'export const add' }, 'File written.'),
      failed('npm test', 'FAIL a.test.ts: expected 3, received NaN'),
      call('edit', { path: 'a.ts', old: 'add', new: 'add = (a, b) => a + b' }, 'Edited 1 place.'),
      shell('npm test', 'PASS a.test.ts'),
    ],
  },
  {
    title: 'runs the passing tests after each of many edits',
    kind: 'healthy',
    advice: true,
    steps: times(9, (at) => [
      call('edit', { path: 'core.ts', old: `step ${at}`, new: `step ${at + 1}` }, 'Edited 1 place.'),
      shell('npm test', 'Tests: 48 passed, 48 total'),
    ]),
  },
  {
    title: 'bisects a history',
    kind: 'healthy',
    steps: times(8, (at) => [
      shell(
        'git bisect bad',
        `Bisecting: ${2 ** (8 - at)} revisions left to test after this\n[${at}abc12] change ${at}`,
      ),
      shell(
        'npm test -- login',
        at % 2 === 0 ? `FAIL login at ${at}: expected 200` : `PASS login in build ${at}`,
      ),
    ]),
  },
  {
    title: 'gets fewer type errors each time',
    kind: 'healthy',
    advice: true,
    steps: times(8, (at) => [
      call('edit', { path: `t${at}.ts`, old: 'any', new: 'unknown' }, 'Edited 1 place.'),
      failed('npx tsc --noEmit', `Found ${40 - at * 5} errors in ${8 - at} files.`),
    ]),
  },
  {
    title: 'mutation testing restores the file each time',
    kind: 'healthy',
    advice: true,
    steps: times(3, (at) => [
      call('edit', { path: 'limit.ts', old: `max ${at}`, new: `min ${at}` }, 'Edited 1 place.'),
      failed('npm test', `Tests: ${at + 1} failed, ${30 - at} passed`),
      call('edit', { path: 'limit.ts', old: `min ${at}`, new: `max ${at}` }, 'Edited 1 place.'),
      shell('npm test', `Tests: 31 passed in run ${at}`),
    ]),
  },

  // Waiting, polling and retries
  {
    title: 'polls a deployment that becomes ready',
    kind: 'healthy',
    advice: true,
    steps: every(10, [
      ...times(8, () => shell('sleep 30; kubectl get deploy web', 'NAME  READY  UP-TO-DATE\nweb   0/3    3')),
      shell('sleep 30; kubectl get deploy web', 'NAME  READY  UP-TO-DATE\nweb   3/3    3'),
    ]),
  },
  {
    title: 'polls a build that is in progress',
    kind: 'healthy',
    steps: every(5, [
      ...times(10, () => call('get_build', { id: 7 }, { status: 'in_progress' })),
      call('get_build', { id: 7 }, { status: 'succeeded', artifacts: 2 }),
    ]),
  },
  {
    title: 'waits between rate limits and gets through',
    kind: 'healthy',
    advice: true,
    steps: every(20, [
      ...times(4, () => [
        call(
          'http_get',
          { url: 'https://api.test/v1/users' },
          'HTTP 429 Too Many Requests\nRetry-After: 15',
          true,
        ),
        shell('sleep 15', ''),
      ]),
      call('http_get', { url: 'https://api.test/v1/users' }, { users: 3 }),
    ]),
  },
  {
    title: 'watches a progress counter',
    kind: 'healthy',
    steps: times(12, (at) => shell('tail -1 train.log', `epoch ${at + 1}/20 loss=0.${900 - at * 31}`)),
  },
  {
    title: 'waits for a server to accept connections',
    kind: 'healthy',
    advice: true,
    steps: every(4, [
      shell('npm run dev > dev.log 2>&1 &', ''),
      ...times(3, () =>
        failed(
          'sleep 2; curl -s localhost:3000/health',
          'curl: (7) Failed to connect to localhost port 3000',
        ),
      ),
      shell('sleep 2; curl -s localhost:3000/health', '{"ok":true}'),
    ]),
  },
  {
    title: 'polls a queue whose length goes down',
    kind: 'healthy',
    steps: times(10, (at) => shell('redis-cli llen jobs', `(integer) ${1_000 - at * 97}`)),
  },
  {
    title: 'sleeps a few times in a row',
    kind: 'healthy',
    advice: true,
    steps: every(
      60,
      times(5, () => shell('sleep 60', '')),
    ),
  },
  {
    title: 'waits for a lock to be released',
    kind: 'healthy',
    advice: true,
    steps: every(6, [
      ...times(3, () =>
        failed(
          'apt-get install -y jq',
          'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (apt)',
        ),
      ),
      shell('apt-get install -y jq', 'Setting up jq (1.6-2.1) ...'),
    ]),
  },
  {
    title: 'retries a flaky download that succeeds in the end',
    kind: 'healthy',
    advice: true,
    steps: [
      failed('curl -fO https://cdn.test/a.tgz', 'curl: (56) Recv failure: Connection reset by peer'),
      failed('curl -fO https://cdn.test/a.tgz', 'curl: (56) Recv failure: Connection reset by peer'),
      shell('curl -fO --retry 5 https://cdn.test/a.tgz', '100 12.1M'),
      shell('tar xzf a.tgz', ''),
      shell('ls a', 'bin  lib'),
    ],
  },

  // Nothing found, and that is an answer
  {
    title: 'greps nine patterns that must not occur',
    kind: 'healthy',
    advice: true,
    steps: times(7, (at) => failed(`grep -rn "legacy${at}" src`, '')),
  },
  {
    title: 'checks that tables are empty after a migration',
    kind: 'healthy',
    advice: true,
    steps: times(6, (at) => call('sql', { query: `SELECT * FROM old_${at}` }, '(0 rows)')),
  },
  {
    title: 'finds nothing at first and then the place',
    kind: 'healthy',
    steps: [
      ...times(3, (at) => call('search', { query: `retry${at} policy` }, 'No matches found.')),
      call('search', { query: 'backoff' }, 'src/http.ts:44: const backoff = 2 ** attempt;'),
      call('read', { path: 'src/http.ts' }, '44: const backoff = 2 ** attempt;'),
    ],
  },
  {
    title: 'has commands without output that do something',
    kind: 'healthy',
    steps: [
      shell('mkdir -p build', ''),
      shell('cp -r src build', ''),
      shell('rm -rf build/test', ''),
      shell('chmod +x build/run.sh', ''),
      shell('git add -A', ''),
      shell('git commit -qm "Build"', ''),
    ],
  },
  {
    title: 'lists empty folders of a fresh project',
    kind: 'healthy',
    advice: true,
    steps: times(5, (at) => shell(`ls packages/p${at}/test`, '')),
  },
  {
    title: 'asks which programs exist',
    kind: 'healthy',
    advice: true,
    steps: [
      ...['podman', 'docker', 'nerdctl', 'buildah'].map((name) => failed(`which ${name}`, '')),
      shell('which bwrap', '/usr/bin/bwrap'),
    ],
  },

  // Output that only mentions errors
  {
    title: 'greps for errors in logs',
    kind: 'healthy',
    steps: times(8, (at) =>
      shell(
        `grep -n ERROR logs/day${at}.log`,
        `${at * 11}: ERROR worker ${at}: connection refused\n${at * 11 + 1}: Traceback (most recent call last):`,
      ),
    ),
  },
  {
    title: 'reads source files about exceptions',
    kind: 'healthy',
    steps: times(7, (at) =>
      call(
        'read',
        { path: `src/errors/e${at}.py` },
        `1: class Error${at}(Exception):\n2:     """Error: raised when ${at} fails"""`,
      ),
    ),
  },
  {
    title: 'runs linters that report zero errors',
    kind: 'healthy',
    steps: times(6, (at) =>
      shell(`eslint packages/p${at}`, `packages/p${at}: 0 errors, 0 warnings, ${at + 3} files`),
    ),
  },
  {
    title: 'looks at failed jobs of a pipeline',
    kind: 'healthy',
    steps: times(6, (at) =>
      call('get_job_log', { job: at }, `error: step ${at} failed with exit code 1\nat stage ${at}`, false),
    ),
  },
  {
    title: 'reads the history of fixes',
    kind: 'healthy',
    steps: times(6, (at) =>
      shell(`git show HEAD~${at} --stat`, `Fix error ${at} in parser\n src/p${at}.ts | 4 ++--`),
    ),
  },

  // Errors that vary and lead somewhere
  {
    title: 'installs the missing dependencies one by one',
    kind: 'healthy',
    advice: true,
    steps: times(6, (at) => [
      failed(
        'python app.py',
        `Traceback (most recent call last):\n  File "app.py", line ${at + 1}\nModuleNotFoundError: No module named 'dep${'abcdef'[at]}'`,
      ),
      shell(`pip install dep${'abcdef'[at]}`, `Successfully installed dep${'abcdef'[at]}-1.${at}`),
    ]),
  },
  {
    title: 'learns the arguments of a command from its errors',
    kind: 'healthy',
    advice: true,
    steps: [
      failed('ffmpeg -i a.mov', 'At least one output file must be specified'),
      failed('ffmpeg -i a.mov -codec x b.mp4', "Unknown encoder 'x'"),
      shell('ffmpeg -encoders', 'V..... libx264'),
      shell('ffmpeg -i a.mov -codec:v libx264 b.mp4', 'video:1201kB'),
    ],
  },
  {
    title: 'finds the schema of a database by trial',
    kind: 'healthy',
    advice: true,
    steps: [
      call('sql', { query: 'SELECT name FROM user' }, 'ERROR: relation "user" does not exist', true),
      call('sql', { query: 'SELECT name FROM users' }, 'ERROR: column "name" does not exist', true),
      call('sql', { query: '\\d users' }, 'id | full_name | email'),
      call('sql', { query: 'SELECT full_name FROM users' }, 'Ada\nGrace'),
    ],
  },
  {
    title: 'corrects an edit that does not match',
    kind: 'healthy',
    advice: true,
    steps: [
      call(
        'edit',
        { path: 'a.ts', old: 'foo()', new: 'bar()' },
        'String to replace not found in file.',
        true,
      ),
      call('read', { path: 'a.ts' }, '1: foo ()'),
      call('edit', { path: 'a.ts', old: 'foo ()', new: 'bar()' }, 'Edited 1 place.'),
      call(
        'edit',
        { path: 'b.ts', old: 'foo()', new: 'bar()' },
        'String to replace not found in file.',
        true,
      ),
      call('read', { path: 'b.ts' }, '1: foo( )'),
      call('edit', { path: 'b.ts', old: 'foo( )', new: 'bar()' }, 'Edited 1 place.'),
    ],
  },
  {
    title: 'tries several credentials that the task lists',
    kind: 'healthy',
    advice: true,
    steps: [
      ...times(4, (at) => call('login', { user: `demo${at}` }, 'Invalid password', true)),
      call('login', { user: 'demo4' }, 'Welcome, demo4'),
    ],
  },

  // Returning to things on purpose
  {
    title: 'checks the status between the stages of a release',
    kind: 'healthy',
    advice: true,
    steps: times(5, (at) => [
      shell('git status --short', ''),
      shell(`git cherry-pick c${at}`, `[release ${at}f0] change ${at}\n 1 file changed`),
    ]),
  },
  {
    title: 'rereads a file after each change to it',
    kind: 'healthy',
    steps: times(6, (at) => [
      call('edit', { path: 'app.css', old: `${at}px`, new: `${at + 1}px` }, 'Edited 1 place.'),
      call('read', { path: 'app.css' }, `1: .a { margin: ${at + 1}px }`),
    ]),
  },
  {
    title: 'reverts a change once and applies another',
    kind: 'healthy',
    steps: [
      call('write', { path: 'c.ts', content: 'one' }, 'File written.'),
      call('write', { path: 'c.ts', content: 'two' }, 'File written.'),
      failed('npm test', 'Tests: 3 failed'),
      call('write', { path: 'c.ts', content: 'one' }, 'File written.'),
      shell('npm test', 'Tests: 9 passed'),
      call('write', { path: 'c.ts', content: 'three' }, 'File written.'),
      shell('npm test', 'Tests: 10 passed'),
    ],
  },
  {
    title: 'lists a folder after each file that it adds',
    kind: 'healthy',
    steps: times(6, (at) => [
      call('write', { path: `docs/p${at}.md`, content: `page ${at}` }, 'File written.'),
      shell(
        'ls docs',
        times(at + 1, (page) => say(`p${page}.md`))
          .map(({ text }) => text)
          .join('\n'),
      ),
    ]),
  },
  {
    title: 'takes the same screenshot after each action in a browser',
    kind: 'healthy',
    steps: times(7, (at) => [
      call('browser_click', { ref: `e${at}` }, 'Clicked.'),
      call('browser_snapshot', {}, `heading "Step ${at + 1}"`),
    ]),
  },
  {
    title: 'moves in a maze',
    kind: 'healthy',
    steps: times(12, (at) =>
      call('move', { direction: at % 2 === 0 ? 'east' : 'north' }, `You are in room ${at + 1}.`),
    ),
  },
  {
    title: 'measures the same benchmark several times',
    kind: 'healthy',
    steps: times(6, (at) => shell('node bench.js', `ops/s: ${10_211 + at * 37}`)),
  },
  {
    title: 'rolls dice as the task asks',
    kind: 'healthy',
    steps: times(10, (at) => call('roll', { sides: 6 }, { value: ((at * 5) % 6) + 1, roll: at })),
  },

  // Conversation
  {
    title: 'answers many questions of a user with one lookup each',
    kind: 'healthy',
    steps: times(8, (at) => [
      user(`What about order ${at}?`),
      call('get_order', { id: at }, { id: at, total: at * 10 }),
      say(`Order ${at} costs ${at * 10} euros and arrives on day ${'abcdefgh'[at]}.`),
    ]),
  },
  {
    title: 'looks up the same customer for different requests',
    kind: 'healthy',
    advice: true,
    steps: times(4, (at) => [
      user(
        [
          'Where is my parcel?',
          'Change the address please.',
          'And the invoice?',
          'Thanks, cancel the other one.',
        ][at] ?? '',
      ),
      call('get_customer', { id: 9 }, { id: 9, name: 'Ada' }),
      call('handle_request', { id: 9, request: at }, `request ${at} is done`),
      say(
        [
          'It arrives on Monday.',
          'The address is changed.',
          'The invoice is in the mail.',
          'It is canceled.',
        ][at] ?? '',
      ),
    ]),
  },
  {
    title: 'replies to a host that rejects empty replies, and then answers',
    kind: 'healthy',
    advice: true,
    steps: [
      ...times(6, () => [say(''), user('Your reply was empty. Please provide an answer or call a tool.')]),
      say('The capital of France is Paris.'),
    ],
  },
  {
    title: 'asks for confirmation twice',
    kind: 'healthy',
    steps: [
      say('Shall I delete the folder build?'),
      user('Which files are in it?'),
      shell('ls build', 'a.js b.js'),
      say('It contains a.js and b.js. Shall I delete it?'),
      user('Yes.'),
      shell('rm -r build', ''),
      say('Done.'),
    ],
  },
  {
    title: 'makes four no-op calls across a reply that its host rejected',
    kind: 'healthy',
    advice: true,
    steps: [
      shell("sed -i 's/a/a/' x.txt", ''),
      shell("sed -i 's/a/a/' x.txt", ''),
      user('Your last reply had two commands. Send exactly one command in each reply.'),
      shell("sed -i 's/a/a/' x.txt", ''),
      shell('cat x.txt', 'a b c'),
      shell("sed -i 's/b/d/' x.txt", ''),
      shell('cat x.txt', 'a d c'),
    ],
  },
  {
    title: 'hands several tasks to sub-agents with the same kind of answer',
    kind: 'healthy',
    steps: times(7, (at) =>
      call('task', { prompt: `Review module ${at}` }, `Module ${at}: no problems found.`),
    ),
  },
  {
    title: 'keeps a todo list while it works',
    kind: 'healthy',
    steps: times(8, (at) => [
      call('todo_write', { todos: [{ id: at, status: 'done' }] }, 'Todos have been modified successfully.'),
      call('edit', { path: `s${at}.ts`, old: 'a', new: `b${at}` }, 'Edited 1 place.'),
    ]),
  },
  {
    title: 'stores one note after another',
    kind: 'healthy',
    advice: true,
    steps: times(10, (at) => call('remember', { key: `fact ${at}`, value: `v${at}` }, 'Saved.')),
  },
  {
    title: 'installs packages one by one with npm',
    kind: 'healthy',
    steps: times(6, (at) => shell(`npm install pkg-${'abcdef'[at]}`, `added ${at + 1} packages in 2s`)),
  },
  {
    title: 'adds the same line to different files',
    kind: 'healthy',
    steps: times(8, (at) => shell(`echo "# generated" >> out/${at}.txt`, '')),
  },
  {
    title: 'tries option values of a linter whose findings stay the same',
    kind: 'healthy',
    advice: true,
    steps: [
      ...times(7, (at) =>
        failed(`pylint --bad-names="a${'bcdefgh'[at]}" foo.py`, 'foo.py:1:0: C0104: Disallowed name "foo"'),
      ),
      shell('rm foo.py', ''),
    ],
  },
  {
    title: 'runs a linter that finds something else each time',
    kind: 'healthy',
    advice: true,
    steps: times(12, (at) =>
      failed(
        `npx eslint src/${'abcdefghijkl'[at]}.js`,
        `  ${at + 1}:1  error  'v${at}' is not defined  no-undef`,
      ),
    ),
  },
  {
    title: 'reads four files for a second time',
    kind: 'healthy',
    advice: true,
    steps: times(8, (at) => call('read', { path: `${at % 4}.ts` }, `const file${at % 4} = 1;`)),
  },
  {
    title: 'edits eight places of one file in a row',
    kind: 'healthy',
    steps: times(8, (at) =>
      call('edit', { path: 'a.ts', old: `case ${at}`, new: `case '${at}'` }, `Edited line ${at * 10}.`),
    ),
  },
  {
    title: 'gets the same confirmation for different requests',
    kind: 'healthy',
    steps: times(5, (at) => call('subscribe', { user: `u${at}` }, 'Subscribed.')),
  },
  {
    title: 'reads a long page again after an excursion',
    kind: 'healthy',
    steps: [
      call('fetch', { url: 'https://a.test/guide' }, longPage('guide')),
      call('fetch', { url: 'https://a.test/setup' }, longPage('setup')),
      call('fetch', { url: 'https://a.test/guide#setup' }, longPage('guide')),
      call('fetch', { url: 'https://a.test/faq' }, longPage('faq')),
    ],
  },
  {
    title: 'edits with sed and runs a test script that fails less each time',
    kind: 'healthy',
    steps: times(6, (at) => [
      failed(
        'sh test.sh',
        `FAIL room-${at + 1}: expected a door, found ${at}\n${6 - at} failed, ${at} passed`,
      ),
      shell(`sed -i 's/.*/${at + 1}/' rooms.txt`, ''),
    ]),
  },
  {
    title: 'fixes one of many type errors after the other',
    kind: 'healthy',
    steps: times(8, (at) => [
      shell(`sed -i '${at * 3 + 2}s/string/number/' a.ts`, ''),
      failed(
        'npx tsc -p .',
        `a.ts(${at * 3 + 5},7): error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound ${9 - at} errors in a.ts`,
      ),
    ]),
  },
];
