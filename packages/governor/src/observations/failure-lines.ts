/*
 * What failures look like in the output of programs, line by line. Each pattern is anchored at the start of a line and
 * free of nested repetition, so that testing a bounded line takes bounded time.
 */

/**
 * A piece of every line that certainly says that something failed; other lines are not examined. Case-sensitive and
 * without wildcards, because the whole output is searched for it.
 */
export const failureHint =
  /rror|ERR|[Ff]ail|FAIL|xception|raceback|panic|not ok|\*\*\* |ninja: |\.go:|ld: |ld\.|ndefined sym|LIFECYCLE|E: |url: \(|wget: |HTTP\/|daemon|refused|CONFLICT|rejected|: line |goroutine|terminate called|recognized/g;

/**
 * Lines with which a test runner, a compiler, a build tool or another program says that it failed. They decide even
 * if the exit code is 0, because a pipeline such as `pytest | tail` hides it.
 */
const certainFailures = new RegExp(
  `^\\s{0,8}(?:${[
    // Test runners.
    String.raw`=+ .{0,200}\b[1-9]\d* (?:failed|errors?)\b.{0,200}=+$`,
    String.raw`(?:\d+ \w+, ){0,4}[1-9]\d* (?:failed|errors?)\b.{0,80} in [\d.]+ ?s`,
    String.raw`(?:FAILED|ERROR) \S+\.py\b`,
    String.raw`(?:Tests?|Test (?:Files|Suites)|Suites):?\s.{0,80}\b[1-9]\d* failed\b`,
    String.raw`(?:\[\w+\] )?Tests run: \d+, +Failures: (?:[1-9]|\d+, Errors: [1-9])`,
    String.raw`[1-9]\d* failing$`,
    String.raw`--- FAIL: `,
    String.raw`FAIL(?:$|\s{1,8}\S+(?:$|\s|\.))`,
    String.raw`test result: FAILED`,
    String.raw`test \S{1,200} \.\.\. FAILED`,
    String.raw`FAILED \((?:failures|errors)=`,
    String.raw`(?:✖ failing tests|[ℹ#] fail [1-9])`,
    String.raw`not ok \d`,
    String.raw`\d+ (?:examples?|tests?|runs?), .{0,60}\b[1-9]\d* (?:failures?|errors?)\b`,
    String.raw`(?:FAILURES|ERRORS)!$`,
    String.raw`Tests: \d+, Assertions: \d+.{0,60}(?:Failures|Errors): [1-9]`,
    // Build tools.
    String.raw`(?:\[\w+\] )?BUILD FAIL(?:ED|URE)`,
    String.raw`\[ERROR\] (?:Failed to execute goal|COMPILATION ERROR|There are test failures|\S+\.java)`,
    String.raw`> Task \S{1,200} FAILED`,
    String.raw`FAILURE: Build failed`,
    String.raw`g?make(?:\[\d+\])?: \*\*\* `,
    String.raw`ninja: (?:error|build stopped|fatal)`,
    String.raw`CMake Error`,
    String.raw`-- Configuring incomplete`,
    // Compilers and linkers.
    String.raw`(?:\S{1,300}[:)-]\s{0,2})?(?:\s?- )?error TS\d+`,
    String.raw`\S{1,300}:\d+:\d+ - error TS\d+`,
    String.raw`Found [1-9]\d* errors?\b`,
    String.raw`[^\s:]{1,300}:\d+:(?:\d+:)? (?:fatal )?error: `,
    String.raw`error\[E\d+\]`,
    String.raw`error: (?:could not compile|aborting due to|linking with|failed to push|build failed|test failed|no such command)`,
    String.raw`[^\s:]{1,300}\.go:\d+:\d+: `,
    String.raw`(?:\S{0,100}\/)?ld(?:\.\w+)?: `,
    String.raw`(?:collect2|clang|clang\+\+|cc1|cc1plus|gcc|g\+\+): (?:fatal )?error`,
    String.raw`Undefined symbols for architecture`,
    // Package managers.
    String.raw`npm (?:ERR!|error)(?:\s|$)`,
    String.raw`\s?ERR_PNPM_|\s?ELIFECYCLE\b`,
    String.raw`error Command failed with exit code`,
    String.raw`ERROR: (?:Could not|No matching|Failed building|Command errored|Cannot install|Failed to build|failed to)`,
    String.raw`E: (?:Unable|Could not|Failed|Package|Some|Sub-process|The|Invalid)`,
    String.raw`ERROR:  (?:Could not|While executing|Error installing)`,
    // Network, containers, databases, version control.
    String.raw`curl: \(\d+\)`,
    String.raw`.{0,40}ERROR [45]\d\d: `,
    String.raw`wget: (?:unable|bad|can't|server)`,
    String.raw`HTTP\/[\d.]+ [45]\d\d\b`,
    String.raw`(?:docker: )?Error response from daemon`,
    String.raw`(?:ERROR: |docker: )?Cannot connect to the Docker daemon`,
    String.raw`Error from server\b`,
    String.raw`The connection to the server .{1,200} was refused`,
    String.raw`ERROR \d{4} \(\w{5}\)`,
    String.raw`psql: error:`,
    String.raw`(?:psql:\S{1,200} )?ERROR:  \S`,
    String.raw`(?:Error: (?:near line|in prepare|stepping)|(?:Parse|Runtime) error near line)`,
    String.raw`(?:error: failed to push|CONFLICT \(|! \[(?:remote )?rejected\])`,
    // Crashes of a program.
    String.raw`(?:\S{1,100}: line \d+: +\d+ )(?:Killed|Segmentation fault|Aborted|Bus error|Trace\/BPT)`,
    String.raw`panic: (?!$)`,
    String.raw`thread '[^']{0,100}' (?:\(\d+\) )?panicked at`,
    String.raw`Exception in thread "`,
    String.raw`terminate called after throwing`,
    String.raw`(?:PHP )?Fatal error: `,
    String.raw`\+ FullyQualifiedErrorId`,
    String.raw`'.{1,100}' is not recognized as an internal or external command`,
    String.raw`(?:\S{1,60} : )?The term '.{1,100}' is not recognized`,
  ].join('|')})`,
);

/** Whether a line says that a check, a build or another program failed, whatever the exit code is. */
export function isCertainFailure(line: string): boolean {
  return certainFailures.test(line);
}

/** Starts a stack trace. A program may also print the trace of an error that it handled. */
const traceStart =
  /^\s{0,8}(?:Traceback \(most recent call last\)|(?:[\w.]{1,80})?(?:Error|Exception)\s{2,}Traceback|goroutine \d+ \[|(?:Uncaught|Unhandled) (?:\w{1,60} )?\w{0,60}(?:Error|Exception|error|exception)|.{0,60}#\d+ \S+\(\d+\): )/;

export function isTraceStart(line: string): boolean {
  return traceStart.test(line);
}

/** The line of a stack trace that names the error, in Python, JavaScript, Java and others. */
const errorName =
  /^\s{0,4}(?:Uncaught |Caused by: )?(?:[\w$]{1,60}\.){0,8}[A-Z]?[\w$]{0,60}(?:Error|Exception|Interrupt|SystemExit|NotFound|Failure)(?: \[\w{1,60}\])?(?::|$)/;

export function isErrorName(line: string): boolean {
  return errorName.test(line);
}

/** An error with its stack frames, as JavaScript and Java print them. */
const stackPattern = /^(?:Uncaught |Caused by: )?[\w$.]{0,100}(?:Error|Exception)\b.{0,400}\n\s{1,8}at \S/m;

export function hasStackTrace(text: string): boolean {
  return text.includes(' at ') && stackPattern.test(text);
}

/** Whether a line is a part of a stack trace, or what a runtime prints after it. */
export function isStackFrame(line: string): boolean {
  return /^(?:at \S|Node\.js v\d)/.test(line);
}

/** A message of a shell or of a small program about itself: a name, a colon, and a common reason. */
const programMessage = new RegExp(
  [
    String.raw`^(?!\d+:)(?:[\w./+@\\-]{1,200}|\[|\(eval\)|'[^']{1,100}'):(?: (?:line )?\d+:|\d+:)? ?.{0,400}(?:command not found|: not found$|No such file or directory|[Pp]ermission denied|Operation not permitted|Is a directory|Not a directory|File exists|Directory not empty|Read-only file system|No space left|invalid option|unrecognized option|illegal option|invalid number|invalid argument|unknown option|unknown command|is not a \w{1,20} command|missing operand|missing argument|option requires an argument|syntax error|unexpected (?:EOF|end of file|token)|unterminated|ambiguous redirect|bad substitution|unbound variable|cannot (?:access|stat|open|remove|create|touch|find|execute|overwrite|move|copy)|[Cc]onnection refused|Could not resolve|Name or service not known|timed out|No such process|No such container|No module named|can't (?:open|cd|read|find)|error: )`,
    String.raw`^.{0,300}: (?:-c: )?line \d+: (?:syntax error|unexpected EOF)`,
    String.raw`^(?:zsh|fish|nu|xonsh)\S{0,20}: `,
    String.raw`^fish: Unknown command`,
    String.raw`^(?:fatal|error): \S`,
    String.raw`^(?:sed: -e |jq: error|find: |awk: |grep: (?!.{0,400}binary file matches)|rg: |xargs: |tar: |unzip: |mv: |cp: |rm: ).`,
    String.raw`^usage: \S.{0,300}$`,
    String.raw`^Segmentation fault|^Aborted(?: \(core dumped\))?$|^Killed$|^Bus error|^Floating point exception`,
    String.raw`^(?:\S{1,200}: )?No module named `,
    String.raw`^(?:bash|sh|zsh): warning: setlocale`,
  ].join('|'),
);

/** Whether a shell or a program says in this line that it could not do what it was called for. */
export function isProgramMessage(line: string): boolean {
  return programMessage.test(line);
}

/** How the text of a failed call begins, whatever the tool. */
const failureOpening =
  /^\s{0,20}(?:<tool_use_error>|\[?(?:error|exception|failure|fatal|uncaught)\b(?! (?:handling|handler|messages?|codes?|log|logs|page|pages|recovery|rate)\b)|(?:\[?failed|unable|could ?n[o']t|cannot|can't)\b(?= (?:to|find (?:\[|file|path|the (?:file|path|tool)|that|module|tool)|open|read|connect|load|parse|create|execute|be|write|access|locate|\w{1,20}:))|\[?failed\]?(?::| [A-Za-z./]+[./]| in )|an (?:unexpected )?error (?:has )?occurred|\w{1,60}(?:error|exception)\b\s?:|traceback \(most recent call last\)|command failed|(?:process )?exit(?:ed)?(?: with)?(?: code| status)[: ]+[1-9]|file not found|file does not exist|no such file|path does not exist|invalid (?:argument|parameter|input|request|path|tool|json)|unknown (?:tool|command|argument|parameter|function)|tool \S{1,80} not found|permission denied|access denied|unauthorized|forbidden|not found\b|(?:40[0-9]|429|50[0-4]):? [a-z]|http (?:error )?[45]\d\d|request failed|(?:connection|request) (?:refused|timed out)|timed? ?out|execution error|command timed out|oci runtime|the (?:last )?command .{1,300} timed out|failed in sandbox|unsupported call|apply_patch verification failed|malformed (?:command|call)|the llm did not conform|no replacement was performed|no changes were made|multiple occurrences of|(?:the )?(?:path|file|folder|directory) \S{1,300} (?:does not exist|was not found|not found|is not a)|string '|old_str\w* (?:not found|did not)|string to replace not found|string not found|invalid patch|patch does not apply|enoent|eacces|eisdir|econnrefused|mcp error)/i;

/** Whether a text begins like the message of a failed call. */
export function beginsLikeFailure(text: string): boolean {
  return failureOpening.test(text);
}

/** Whether a text of a reading tool begins with a reason that cannot be the content of a file. */
const readFailureOpening =
  /^\s{0,8}(?:<tool_use_error>|(?:error:? ?){0,2}(?:enoent|eacces|eisdir|file not found|file does not exist|no such file|path does not exist|cannot read|failed to read|mcp error))/i;

export function beginsLikeReadFailure(text: string): boolean {
  return readFailureOpening.test(text);
}

/** Answers that something is not done yet. */
const notDone =
  /\b(?:still (?:running|going|working|building|waiting|processing)|in[ _-]progress|not (?:yet )?(?:ready|finished|done|complete|completed|available yet)|pending|queued|(?:please )?wait(?:ing)? (?:for|until)|provisioning|ContainerCreating|(?:status|state)["']?\s?[:=]\s?["']?(?:running|waiting|starting|processing|building|created))\b/i;

/** Answers that ask the caller to come back later, which a host may mark as an error. */
const comeBackLater =
  /\bretry[-_ ]?after\b|\b(?:try|retry)(?: again)? in (?:about )?[\d.]+ ?(?:s\b|sec|ms\b|min|hour)|could not get lock|unable to (?:acquire|lock)|lock is held|waiting for (?:cache |file )?lock|lock file .{0,80}exists|resource temporarily unavailable|database is locked/i;

const unreachable =
  /connection refused|failed to connect|could not connect|couldn't connect|not reachable|unreachable|no route to host|timed out/i;

/** Whether a text says that a server does not answer yet. */
export function saysUnreachable(text: string): boolean {
  return unreachable.test(text);
}

const rateLimit =
  /(?<![$.\d])\b(?:429|503)\b(?=\)|:? [a-z])|too many requests|rate.?limit|overloaded|try again later|temporarily unavailable/i;

export function saysNotDone(text: string): boolean {
  return notDone.test(text);
}

export function saysComeBackLater(text: string): boolean {
  return comeBackLater.test(text);
}

export function saysRateLimited(text: string): boolean {
  return rateLimit.test(text);
}

/** Answers of something that looked and found nothing. */
const nothingFound =
  /^\s{0,20}(?:\[\s{0,4}\]|\{\s{0,4}\}|null|none|n\/a|""|\(?no (?:\w{1,20} ){0,3}(?:found|matches|match|results?|output|rows|records|files|entries|hits|items|data|content|response|documents|lines)\b.{0,200}|nothing(?: was)? (?:found|matched|returned|happens).{0,100}|empty set.{0,40}|(?:found )?(?:0|zero) (?:matches|results?|files|rows|records|items|hits|documents|lines)\b.{0,200}|\(0 rows?\)|not found\.?|\(empty\)|\((?:Bash completed with )?no output\)|.{0,120}\bdid not match any\b.{0,120}|.{0,120}\b(?:returned|found) (?:no|0|zero) (?:results|matches|rows)\b.{0,80}|\{"(?:results?|items|data|matches|hits|rows|documents|files)":\s?\[\s?\](?:,"\w{1,20}":(?:0|"[^"]{0,200}"|null|false)){0,4}\})\.?\s{0,20}$/i;

export function saysNothingFound(text: string): boolean {
  return nothingFound.test(text);
}

const truncation =
  /\[(?:\.\.\. ?)?(?:output )?truncated|truncated\]|<response clipped>|(?:output|response|content) (?:was |is |has been )?(?:truncated|clipped|too (?:long|large))|\d+ (?:more )?(?:lines|characters|chars|tokens|bytes) (?:omitted|truncated|elided|not shown)|\(truncated\)|<output_head>/i;

/** A piece of every note about a truncation. */
const truncationHints = ['runcated', 'clipped', 'omitted', 'elided', 'not shown', 'too l', 'output_head'];

export function saysTruncated(text: string): boolean {
  return truncationHints.some((hint) => text.includes(hint)) && truncation.test(text);
}
