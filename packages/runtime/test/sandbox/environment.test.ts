import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubbedEnvironment } from '../../src/sandbox/environment.ts';

describe('scrubbedEnvironment', () => {
  it('keeps what programs need', () => {
    const env = { PATH: '/usr/bin', HOME: '/home/me', LANG: 'C.UTF-8', LC_ALL: 'C', TERM: 'xterm' };
    expect(scrubbedEnvironment(env)).toEqual(env);
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
    expect(scrubbedEnvironment({ [name]: 'value', PATH: '/bin' })).toEqual({ PATH: '/bin' });
  });

  it('drops places of the search path that depend on the working folder', () => {
    expect(scrubbedEnvironment({ PATH: '/usr/bin::.:node_modules/.bin:/bin:' })).toEqual({
      PATH: '/usr/bin:/bin',
    });
  });

  it('never keeps a value of a name it does not know', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constant('the secret')), (env) => {
        const known = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|CI|TERM|COLORTERM|NO_COLOR|LC_.*)$/i;
        const rest = Object.keys(scrubbedEnvironment(env)).filter((name) => !known.test(name));
        expect(
          rest.filter((name) => !/^(?:SYSTEMROOT|COMSPEC|PATHEXT|USERPROFILE|TE?MP)$/i.test(name)),
        ).toEqual([]);
      }),
    );
  });
});
