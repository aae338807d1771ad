import { call, every, failed, longPage, say, shell, times, user, type ScriptedRun } from './script.ts';

const sorry = 'I am still working on it and will have the answer for you shortly, please wait a moment.';

/** Work that makes no progress although something about it changes, succeeds or looks like waiting. */
export const stuckRuns: readonly ScriptedRun[] = [
  // The same call
  {
    title: 'reads the same file again and again',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 5,
    steps: times(10, () => call('read', { path: 'a.ts' }, '1: const a = 1;')),
  },
  {
    title: 'repeats a failing command word for word',
    kind: 'stuck',
    toldBy: 2,
    endedBy: 4,
    steps: times(10, () => failed('npm start', 'Error: Cannot find module ./server')),
  },
  {
    title: 'repeats a failing command that its host does not mark',
    kind: 'stuck',
    toldBy: 2,
    endedBy: 5,
    steps: times(10, () => shell('make all', "make: *** No rule to make target 'all'.  Stop.")),
  },
  {
    title: 'changes into a missing folder, with a line number that grows',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 7,
    steps: times(22, (at) =>
      shell('cd fastjson/', `bash: line ${at * 3 + 14}: cd: fastjson/: No such file or directory`),
    ),
  },
  {
    title: 'runs a missing program in a persistent shell',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 7,
    steps: times(15, (at) => shell('javac Main.java', `bash: line ${62_215 + at}: javac: command not found`)),
  },
  {
    title: 'repeats a call whose result has a new timestamp each time',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(12, (at) =>
      call('get_status', { job: 4 }, { state: 'failed', checked: `2026-03-01T10:00:${10 + at}Z` }),
    ),
  },
  {
    title: 'repeats a call whose result has a new request id each time',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 6,
    steps: times(12, (at) =>
      call(
        'fetch_page',
        { url: 'https://a.test' },
        `403 Forbidden (request 9f8e7d6c5b4a${at.toString(16).padStart(4, '0')})`,
        true,
      ),
    ),
  },
  {
    title: 'repeats a Codex command whose header has a chunk id and a wall time',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 6,
    steps: times(12, (at) =>
      call(
        'exec_command',
        { cmd: 'cat missing.txt' },
        `Chunk ID: a${at}f3c${at}\nWall time: 0.0${at + 1} seconds\nProcess exited with code 1\nOutput:\ncat: missing.txt: No such file or directory`,
      ),
    ),
  },
  {
    title: 'asks for help of a program that does not exist, with its process id in the message',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 7,
    steps: times(12, (at) =>
      failed('svc restart', `svc[${3_000 + at * 7}]: error: pid ${3_000 + at * 7}: unit not found`),
    ),
  },

  // Varied calls, the same error
  {
    title: 'varies the path and meets the same error',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      failed(`cat /etc/app${at}/config.yml`, `cat: /etc/app${at}/config.yml: No such file or directory`),
    ),
  },
  {
    title: 'varies the options of a failing command without an error mark',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 9,
    steps: times(14, (at) =>
      shell(
        `npm run build --flag${at}`,
        `npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! build: "vite build"\nnpm ERR! Exit status 1`,
      ),
    ),
  },
  {
    title: 'guesses column names',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call('sql', { query: `SELECT c${at} FROM t` }, `ERROR: column "c${at}" does not exist`, true),
    ),
  },
  {
    title: 'guesses module names and gets tracebacks',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 9,
    steps: times(14, (at) =>
      shell(
        `python -c "import lib${at}"`,
        `Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nModuleNotFoundError: No module named 'lib${at}'`,
      ),
    ),
  },
  {
    title: 'retries a type error with new casts',
    kind: 'stuck',
    toldBy: 8,
    steps: times(12, (at) => [
      call('edit', { path: 'a.ts', old: `as T${at}`, new: `as T${at + 1}` }, 'Edited 1 place.'),
      failed(
        'npx tsc',
        `src/a.ts(3,${at + 5}): error TS2352: Conversion of type 'string' to type 'T${at + 1}' may be a mistake.`,
      ),
    ]),
  },
  {
    title: 'clicks elements that do not exist',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call('browser_click', { ref: `e${at}` }, `Error: Ref e${at} not found in the current page snapshot.`),
    ),
  },
  {
    title: 'calls an API with one wrong header after another',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call(
        'http_request',
        { url: 'https://api.test/me', headers: { auth: `t${at}` } },
        { status: 401, body: { error: 'invalid_token' } },
        true,
      ),
    ),
  },
  {
    title: 'edits a text that is not in the file, in variations',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call(
        'edit',
        { path: 'a.ts', old: `return x${at};`, new: 'return y;' },
        'String to replace not found in file.',
        true,
      ),
    ),
  },
  {
    title: 'meets a different failure at every step',
    kind: 'stuck',
    toldBy: 6,
    endedBy: 9,
    steps: [
      failed('gcc a.c', "a.c:3:5: error: expected ';' before '}' token"),
      failed('python a.py', 'SyntaxError: invalid syntax'),
      failed('node a.js', 'ReferenceError: x is not defined'),
      failed('ruby a.rb', "a.rb:1: undefined method `foo' for nil (NoMethodError)"),
      failed('perl a.pl', "Can't locate Foo.pm in @INC"),
      failed('go run a.go', 'a.go:3:1: syntax error: non-declaration statement outside function body'),
      failed('cargo run', 'error: could not find `Cargo.toml` in this folder or any parent'),
      failed('lua a.lua', "lua: a.lua:1: unexpected symbol near '}'"),
      failed('php a.php', 'PHP Parse error:  syntax error, unexpected token "}"'),
      failed('java A', 'Error: Could not find or load main class A'),
    ],
  },

  // Cycles
  {
    title: 'alternates between two files',
    kind: 'stuck',
    toldBy: 7,
    endedBy: 10,
    steps: times(10, () => [call('read', { path: 'a.ts' }, 'a'), call('read', { path: 'b.ts' }, 'b')]),
  },
  {
    title: 'goes through three pages in turn',
    kind: 'stuck',
    toldBy: 10,
    endedBy: 14,
    steps: times(8, () =>
      ['home', 'cart', 'help'].map((page) => call('browser_open', { page }, `page ${page}`)),
    ),
  },
  {
    title: 'alternates between two errors',
    kind: 'stuck',
    toldBy: 7,
    endedBy: 10,
    steps: times(10, () => [
      failed('npm test', 'Error: Cannot find module jest'),
      failed('npx jest', 'sh: 1: jest: not found'),
    ]),
  },
  {
    title: 'edits a file back and forth',
    kind: 'stuck',
    toldBy: 8,
    endedBy: 18,
    steps: times(12, (at) => [
      call(
        'write',
        { path: 'a.ts', content: at % 2 === 0 ? 'const a = 1' : 'const a = 2' },
        `Written ${at}.`,
      ),
      failed('npm test', `Tests: ${(at % 2) + 1} failed`),
    ]),
  },
  {
    title: 'a cycle of five calls with one detour',
    kind: 'stuck',
    toldBy: 16,
    steps: [
      ...times(2, () =>
        ['a', 'b', 'c', 'd', 'e'].map((path) => call('read', { path }, `content of ${path}`)),
      ),
      call('search', { query: 'where' }, 'a:1'),
      ...times(4, () =>
        ['a', 'b', 'c', 'd', 'e'].map((path) => call('read', { path }, `content of ${path}`)),
      ),
    ],
  },
  {
    title: 'asks for the same answer in other words of one tool',
    kind: 'stuck',
    toldBy: 8,
    steps: times(12, (at) =>
      call(
        'ask_expert',
        { question: `variation ${at} of how to do it` },
        'I do not know. Please consult the manual.',
      ),
    ),
  },

  // Writing without effect
  {
    title: 'appends the same text to a file that grows each time',
    kind: 'stuck',
    toldBy: 5,
    endedBy: 9,
    steps: times(25, (at) =>
      call(
        'append',
        { path: 'log.md', text: '## Plan\n1. Start' },
        `Appended. The file has ${(at + 1) * 2} lines.`,
      ),
    ),
  },
  {
    title: 'inserts the same function again and again',
    kind: 'stuck',
    toldBy: 5,
    endedBy: 9,
    steps: times(20, (at) =>
      call(
        'insert',
        { path: 'a.py', line: 1, text: 'def helper():\n    pass\n' },
        `[File: a.py (${10 + at * 3} lines total)]\n1:def helper():`,
      ),
    ),
  },
  {
    title: 'applies the same edit, which matches again each time',
    kind: 'stuck',
    toldBy: 5,
    endedBy: 9,
    steps: times(20, (at) =>
      call(
        'edit',
        { path: 'a.ts', old: 'import a', new: 'import a\nimport a' },
        `Edited line ${at + 1} of ${at + 20}.`,
      ),
    ),
  },
  {
    title: 'writes the same content although nothing else happens',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () => call('write', { path: 'a.ts', content: 'const a = 1;' }, 'File written.')),
  },
  {
    title: 'runs a no-op sed command',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () => shell("sed -i 's/foo/bar/' a.txt", '')),
  },
  {
    title: 'echoes a plan instead of doing anything',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () => shell('echo "Next: fix the parser"', 'Next: fix the parser')),
  },

  // Searching without a result
  {
    title: 'searches for words that do not occur, without an error',
    kind: 'stuck',
    toldBy: 7,
    endedBy: 17,
    steps: times(24, (at) =>
      call('search', { query: `uniqueword${'abcdefghijklmnopqrstuvwx'[at]}` }, 'No matches found.'),
    ),
  },
  {
    title: 'queries a table that has no such rows',
    kind: 'stuck',
    toldBy: 7,
    endedBy: 17,
    steps: times(24, (at) => call('sql', { query: `SELECT * FROM users WHERE name LIKE '%x${at}%'` }, '[]')),
  },
  {
    title: 'finds no files in one folder after another',
    kind: 'stuck',
    toldBy: 8,
    endedBy: 17,
    steps: times(24, (at) => shell(`find /opt/d${at} -name "*.cfg"`, '')),
  },
  {
    title: 'looks up articles that do not exist',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(16, (at) =>
      call(
        'Search',
        { entity: `Some Title ${at}` },
        `Could not find [Some Title ${at}]. Similar: ['Title', 'Some']`,
      ),
    ),
  },
  {
    title: 'searches for the same words in another order',
    kind: 'stuck',
    toldBy: 4,
    steps: times(8, (at) =>
      call(
        'web_search',
        { query: at % 2 === 0 ? 'node sqlite fts5' : 'fts5 sqlite node' },
        'Result: SQLite FTS5 Extension',
      ),
    ),
  },
  {
    title: 'searches for the same words with another limit',
    kind: 'stuck',
    toldBy: 4,
    steps: times(8, (at) =>
      call('web_search', { query: 'pawl agent', limit: 10 + at }, 'Result: a page about pawls'),
    ),
  },

  // Waiting for what does not come
  {
    title: 'polls a job that stays queued for an hour',
    kind: 'stuck',
    toldBy: 10,
    endedBy: 70,
    steps: every(
      60,
      times(80, () => call('get_job', { id: 3 }, { status: 'queued' })),
    ),
  },
  {
    title: 'polls a dead job forty times in a recording without times',
    kind: 'stuck',
    toldBy: 5,
    endedBy: 39,
    steps: times(41, () => call('get_job', { id: 3 }, { status: 'pending' })),
  },
  {
    title: 'sleeps for hours',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 40,
    steps: every(
      300,
      times(50, () => shell('sleep 300', '')),
    ),
  },
  {
    title: 'tails a log that no longer grows',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(15, () => shell('tail -n 2 train.log', 'epoch 3/20 loss=0.41')),
  },

  // Talking
  {
    title: 'says the same without doing anything',
    kind: 'stuck',
    toldBy: 2,
    endedBy: 4,
    steps: times(8, () => say(sorry)),
  },
  {
    title: 'promises to start, in variations',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 7,
    steps: times(10, (at) => say(`${sorry} This is update ${at}, thank you for your patience.`)),
  },
  {
    title: 'repeats one block within a reply',
    kind: 'stuck',
    toldBy: 0,
    steps: [say('I will check the file now. '.repeat(60))],
  },
  {
    title: 'answers the automatic prompt to continue with the same text',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 9,
    steps: times(8, () => [
      say('I have completed the task.'),
      user('Please continue with the task. If it is done, call finish.'),
    ]),
  },
  {
    title: 'talks on without a call',
    kind: 'stuck',
    toldBy: 5,
    steps: [
      'one idea',
      'another approach',
      'some background',
      'a long history',
      'more thoughts',
      'a summary',
      'an outlook',
    ].map((topic) =>
      say(`Let me now consider ${topic} in detail, since ${topic} matters here for reasons of its own.`),
    ),
  },

  // Sub-agents, memory and plans
  {
    title: 'rewrites its plan and does nothing else',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () =>
      call(
        'todo_write',
        { todos: [{ id: 1, status: 'in_progress' }] },
        'Todos have been modified successfully.',
      ),
    ),
  },
  {
    title: 'asks its memory for the same thing',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () => call('recall', { key: 'goal' }, 'Fix the parser.')),
  },
  {
    title: 'starts the same sub-agent task again',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(8, () => call('task', { prompt: 'Find the bug' }, 'The sub-agent found nothing.')),
  },
  {
    title: 'gives a call a new nonce each time',
    kind: 'stuck',
    toldBy: 8,
    steps: times(16, (at) =>
      call('get_weather', { city: 'Ghent', request_id: `r-${at}` }, { temperature: 11 }),
    ),
  },
  {
    title: 'looks at one record over and over among other lookups',
    kind: 'stuck',
    toldBy: 12,
    steps: times(10, (at) => [
      call('get_user', { id: 1 }, { id: 1, name: 'Ada' }),
      call('get_flight', { id: at % 3 }, { id: at % 3, seats: at % 3 }),
    ]),
  },
  {
    title: 'repeats the same two lookups in every turn of a customer who only says yes',
    kind: 'stuck',
    toldBy: 24,
    steps: times(12, () => [
      user('yes'),
      call('get_user', { id: 1 }, { id: 1, name: 'Ada' }),
      call('get_order', { id: 2 }, { id: 2, status: 'open' }),
      say('I will check that for you. Is that all right?'),
    ]),
  },

  // Environments
  {
    title: 'walks into a wall',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () => call('move', { direction: 'north' }, 'Nothing happens.')),
  },
  {
    title: 'tries action after action and nothing happens',
    kind: 'stuck',
    toldBy: 8,
    steps: times(14, (at) => call('act', { action: `take item ${at}` }, 'Nothing happens.')),
  },
  {
    title: 'presses a button that shows the same page',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 6,
    steps: times(10, () =>
      call('browser_click', { ref: 'submit' }, 'heading "Sign in"\ntextbox "Email" [required]'),
    ),
  },
  {
    title: 'installs a package that does not exist',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 9,
    steps: times(12, (at) =>
      shell(
        `pip install tool-kit==${at}.0`,
        `ERROR: Could not find a version that satisfies the requirement tool-kit==${at}.0 (from versions: none)\nERROR: No matching distribution found for tool-kit==${at}.0`,
      ),
    ),
  },
  {
    title: 'requests a forbidden action with other reasons',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call(
        'refund',
        { order: 7, reason: `reason ${at}` },
        'Error: refund is not allowed for this order',
        true,
      ),
    ),
  },
  {
    title: 'sends calls with invalid arguments',
    kind: 'stuck',
    toldBy: 4,
    endedBy: 8,
    steps: times(12, (at) =>
      call(
        'create_event',
        { start: `tomorrow ${at}` },
        `Invalid arguments for create_event: expected an ISO date (at start)`,
        true,
      ),
    ),
  },
  {
    title: 'calls a linter with an option that it does not have',
    kind: 'stuck',
    toldBy: 3,
    endedBy: 5,
    steps: times(8, (at) =>
      failed(
        `pylint --ignore-names${at} foo.py`,
        'usage: pylint [options]\npylint: error: unrecognized arguments',
      ),
    ),
  },
  {
    title: 'runs a linter in eight ways to see the same findings',
    kind: 'stuck',
    toldBy: 5,
    endedBy: 8,
    steps: times(12, (at) =>
      failed(`pylint -j${at + 1} foo.py`, 'foo.py:1:0: C0104: Disallowed name "foo" (disallowed-name)'),
    ),
  },
  {
    title: 'repeats the steps of a deployment that fails, in the same order',
    kind: 'stuck',
    toldBy: 7,
    endedBy: 8,
    steps: times(4, () => [
      shell('cat deploy.yaml', 'kind: Deployment\nname: web'),
      failed('./deploy.sh staging', 'deploy: no credentials for staging'),
      shell('cat .env.example', 'TOKEN=\nREGION='),
      failed('./deploy.sh --env staging', 'deploy: no credentials for staging'),
    ]),
  },
  {
    title: 'looks for one article in other words and gets the pages that it has read',
    kind: 'stuck',
    toldBy: 5,
    steps: times(9, (at) =>
      call(
        'python',
        { code: `print(wiki('duo ${'abcdefghi'[at]}'))` },
        longPage(at % 2 === 0 ? 'Detroit' : 'hip hop'),
      ),
    ),
  },
  {
    title: 'rewrites the function that it has just written',
    kind: 'stuck',
    toldBy: 4,
    steps: times(8, (at) =>
      call(
        'edit',
        { path: 'bound.py', old: `def bound(): return ${at}`, new: `def bound(): return ${at + 1}` },
        `The file bound.py has been edited (version ${at}).`,
      ),
    ),
  },
  {
    title: 'edits with sed and gets the same number of failures each time',
    kind: 'stuck',
    toldBy: 8,
    steps: times(8, (at) => [
      failed('sh test.sh', `FAIL room-${at + 1}: expected a door, found ${at}\n4 failed, 2 passed`),
      shell(`sed -i 's/.*/${at + 1}/' rooms.txt`, ''),
    ]),
  },
];
