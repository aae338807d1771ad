import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchesPlainCommand,
  matchesAnyCommand,
  toLiteralPattern,
} from '../../src/permission/command-pattern.ts';
import { parseShellLine } from '../../src/permission/shell-words.ts';
import { createTempFolder } from '../search/temp-folder.ts';

const toQuotedLine = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

describe('a plain command', () => {
  it.each([
    ['git log -3', ['git', 'log', '-3']],
    ['echo \'a b\' "c d" e\\ f', ['echo', 'a b', 'c d', 'e f']],
    ["echo ''", ['echo', '']],
    ['git show HEAD~1 a#b', ['git', 'show', 'HEAD~1', 'a#b']],
    ["grep '$x;|&<>*' f", ['grep', '$x;|&<>*', 'f']],
    [String.raw`echo "a\"b\\c\d"`, ['echo', String.raw`a"b\c\d`]],
    ['  spaced \t out ', ['spaced', 'out']],
    ['ls größe', ['ls', 'größe']],
    ['make X=1', ['make', 'X=1']],
  ])('is parsed into its words: %s', (line, words) => {
    expect(parseShellLine(line)).toEqual({ commands: [words], notPlainReason: null, isComplete: true });
  });

  it('has the same words as in a real shell', { tags: ['unix'] }, () => {
    using folder = createTempFolder({ xy: '' });
    const piece = fc.oneof(
      fc.stringMatching(/^[xy./=:@%+,-]{1,4}$/),
      fc.stringMatching(/^'[ -&(-~]{0,8}'$/),
      fc.stringMatching(/^"[ !#%-[\]^_a-~]{0,8}"$/),
      fc.stringMatching(/^\\[!-~]$/),
      fc.constantFrom(
        ' ',
        '  ',
        '\t',
        "''",
        '""',
        "'",
        '"',
        '\\',
        '\n',
        ';',
        '&',
        '|',
        '<',
        '>',
        '(',
        ')',
        '!',
        '^',
      ),
      fc.constantFrom(
        '$x',
        '${x}',
        '`x`',
        '$((1))',
        "$'x'",
        '*',
        'x?',
        '[xy]*',
        '{x,y}',
        '~',
        '#',
        'x=~',
        '$',
        '=',
        '\r',
      ),
    );
    const line = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(line, (rest) => {
        const { commands, notPlainReason } = parseShellLine(`printf '%s\\0' x ${rest}`);
        if (notPlainReason !== null) return;
        const given = ['-c', `printf '%s\\0' x ${rest}`];
        const real = execFileSync('/bin/sh', given, { cwd: folder.root, encoding: 'utf8', stdio: 'pipe' });
        expect(commands).toHaveLength(1);
        expect(commands[0]?.slice(2)).toEqual(real.split('\0').slice(0, -1));
      }),
      { numRuns: 600 },
    );
  });
});

describe('a line that is not one plain command', () => {
  it.each([
    'git log; rm -rf x',
    'git log && rm x',
    'git log || rm x',
    'git log & rm x',
    'git log | sh',
    'git log\nrm x',
    'git log > /etc/x',
    'git log >> x',
    'git log 2>x',
    'cat < x',
    'cat <<E\nx\nE',
    'diff <(a) <(b)',
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'echo "`rm x`"',
    'echo $HOME',
    'echo ${x}',
    "echo $'x'",
    '$cmd x',
    'ls *',
    'ls a?',
    'ls [ab]',
    'echo {a,b}',
    'cat ~/x',
    'make X=~/y',
    'FOO=bar git log',
    'LD_PRELOAD=./x.so git log',
    '(git log)',
    '{ git log; }',
    'git() { rm x; }',
    'if true',
    '! git log',
    'time git log',
    'eval git log',
    'git log # comment',
    "git log 'open",
    'git log "open',
    'git log \\',
    'git \\\nlog',
    '',
    '   ',
    "'' x",
    'git log\u0000rm',
    'git log\u001b[2K',
    'git log\u200b',
    'git log\u202e',
    'git\u00a0log',
    'git log\u3164',
    'git log\r',
    'git log\u2028rm x',
    'git log \ud800',
    `git log ${'x'.repeat(10_000)}`,
    `git log ${'x '.repeat(600)}`,
  ])('is detected (%#): %j', (line) => {
    expect(parseShellLine(line).notPlainReason).not.toBeNull();
    expect(matchesPlainCommand('git **', parseShellLine(line))).toBe(false);
    expect(matchesPlainCommand('**', parseShellLine(line))).toBe(false);
  });

  it('is parsed in linear time', () => {
    for (const piece of ['"', "'", '\\', '$(', '`', '(', 'a ', ';']) parseShellLine(piece.repeat(5_000));
    expect(parseShellLine('"'.repeat(1_000_000)).notPlainReason).toBe('it is too long');
  });
});

describe('a pattern that allows', () => {
  it.each([
    ['git log', 'git log', true],
    ['git log', 'git log -3', false],
    ['git log **', 'git log -3 --stat', true],
    ['git log **', 'git log', true],
    ['git log *', 'git log main', true],
    ['git log *', 'git log', false],
    ['git log *', 'git log a b', false],
    ['git log *', 'git log --output=/etc/passwd', false],
    ['git log ?*', 'git log -x', false],
    ['git log', 'GIT log', false],
    ['git log', './git log', false],
    ['git log', '/tmp/git log', false],
    ['npm run test:*', 'npm run test:unit', true],
    ['npm run test:*', 'npm run test', false],
    ['npm run *', 'npm run build', true],
    ['npm test', 'npm "test"', true],
    ['git', 'git-evil', false],
    ['cat src/*', 'cat src/a/b.ts', true],
  ])('%s on %s: %s', (pattern, line, expected) => {
    expect(matchesPlainCommand(pattern, parseShellLine(line))).toBe(expected);
  });

  it('made from words matches only these words', () => {
    const word = fc.stringMatching(/^[a-c*?[\]{}()\\!.-]{1,5}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(words, words, (one, other) => {
        const pattern = toLiteralPattern(one);
        if (pattern === null || parseShellLine(toQuotedLine(one)).notPlainReason !== null) return;
        expect(matchesPlainCommand(pattern, parseShellLine(toQuotedLine(one)))).toBe(true);
        expect(matchesPlainCommand(pattern, parseShellLine(toQuotedLine(other)))).toBe(
          toQuotedLine(one) === toQuotedLine(other),
        );
      }),
    );
  });
});

describe('a pattern that denies', () => {
  it.each([
    'rm -rf x',
    '/bin/rm x',
    'git log; rm x',
    'a && b || rm x',
    'echo x | xargs rm',
    'sudo rm x',
    'env FOO=1 rm x',
    'FOO=1 rm x',
    'timeout 5 rm x',
    'nice -n 5 rm x',
    'sh -c "rm x"',
    "bash -lc 'cd /tmp && rm x'",
    `sh -c 'sh -c "rm x"'`,
    'find . -exec rm {} +',
    'r""m x',
    String.raw`r\m x`,
    'rm > x',
    '(rm x)',
    'if true; then rm x; fi',
  ])('finds its command behind others: %s', (line) => {
    expect(matchesAnyCommand('rm', parseShellLine(line))).toBe(true);
    expect(matchesAnyCommand('shred', parseShellLine(line))).toBe(false);
  });

  it('ignores options and their values', () => {
    for (const line of ['git push', 'git -C . push', 'git --git-dir=x push origin', 'git -c a=b push -f']) {
      expect(matchesAnyCommand('git push', parseShellLine(line))).toBe(true);
    }
    expect(matchesAnyCommand('git push', parseShellLine('git log'))).toBe(false);
  });
});
