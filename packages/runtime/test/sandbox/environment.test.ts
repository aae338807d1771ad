import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubEnvironment } from '../../src/sandbox/run-command.ts';

describe('scrubEnvironment', () => {
  it('keeps the variables that programs need', () => {
    const env = { PATH: '/usr/bin', HOME: '/home/me', LANG: 'C.UTF-8', LC_ALL: 'C', TERM: 'xterm' };
    expect(scrubEnvironment(env, 'linux')).toEqual(env);
  });

  it.each([
    'AWS_SECRET_ACCESS_KEY',
    'OPENAI_API_KEY',
    'NPM_TOKEN',
    'SSH_AUTH_SOCK',
    'DOCKER_HOST',
    'HTTPS_PROXY',
    'GIT_DIR',
    'GIT_INDEX_FILE',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'BASH_ENV',
    'PYTHONSTARTUP',
  ])('drops %s', (name) => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(scrubEnvironment({ [name]: 'value', PATH: '/bin' }, platform)).toEqual({ PATH: '/bin' });
  });

  it('drops search path entries that depend on the working folder', () => {
    expect(scrubEnvironment({ PATH: '/usr/bin::.:node_modules/.bin:/bin:' }, 'linux')).toEqual({
      PATH: '/usr/bin:/bin',
    });
  });

  it('keeps the variables that Windows programs need, in any case, and disables programs of the working folder', () => {
    const env = {
      Path: String.raw`C:\Windows;.;C:\Program Files\nodejs;bin`,
      SystemRoot: String.raw`C:\Windows`,
      APPDATA: String.raw`C:\Users\me\AppData\Roaming`,
      'ProgramFiles(x86)': String.raw`C:\Program Files (x86)`,
      GITHUB_TOKEN: 'secret',
    };
    expect(scrubEnvironment(env, 'win32')).toEqual({
      Path: String.raw`C:\Windows;C:\Program Files\nodejs`,
      SystemRoot: env.SystemRoot,
      APPDATA: env.APPDATA,
      'ProgramFiles(x86)': env['ProgramFiles(x86)'],
      NoDefaultCurrentDirectoryInExePath: '1',
    });
    expect(scrubEnvironment({ APPDATA: 'x', GITHUB_TOKEN: 'x' }, 'linux')).toEqual({});
  });

  it('keeps the temporary folder that macOS assigns to each user', () => {
    expect(scrubEnvironment({ TMPDIR: '/var/folders/x' }, 'darwin')).toEqual({ TMPDIR: '/var/folders/x' });
    expect(scrubEnvironment({ TMPDIR: '/var/folders/x' }, 'linux')).toEqual({});
  });

  it('never keeps the value of an unknown variable', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constant('the secret')), (env) => {
        const known = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|CI|TERM|COLORTERM|NO_COLOR|LC_.*)$/i;
        const rest = Object.keys(scrubEnvironment(env, 'linux')).filter((name) => !known.test(name));
        expect(
          rest.filter((name) => !/^(?:SYSTEMROOT|COMSPEC|PATHEXT|USERPROFILE|TE?MP)$/i.test(name)),
        ).toEqual([]);
      }),
    );
  });
});
