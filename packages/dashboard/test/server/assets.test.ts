import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-assets-'));
const assets = join(folder, 'dist');

beforeAll(() => {
  mkdirSync(join(assets, 'assets'), { recursive: true });
  writeFileSync(join(assets, 'index.html'), '<!doctype html><title>Pawl</title>');
  writeFileSync(join(assets, 'assets', 'main-B1a2c3d4.js'), `console.log(${'1 + '.repeat(2_000)}1);`);
  writeFileSync(join(folder, 'secret.html'), 'secret');
  symlinkSync(join(folder, 'secret.html'), join(assets, 'link.html'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Requests the exact path, which `fetch` would normalize. */
function requestRawPath(server: TestServer, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.running.port, path }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

it('serves the pages: the first one uncached, files with a content hash as immutable', async () => {
  await using server = await startTestServer({ assets });
  const index = await fetch(server.running.url);
  expect(index.status).toBe(200);
  expect(index.headers.get('cache-control')).toBe('no-store');
  expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const script = await fetch(`${server.running.url}/assets/main-B1a2c3d4.js`);
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('content-encoding')).toBe('gzip');
  expect(await script.text()).toContain('console.log(1 + 1');
});

it('serves nothing outside its folder, whatever the request', async () => {
  await using server = await startTestServer({ assets });
  const paths = [
    '/../secret.html',
    '/..%2fsecret.html',
    '/assets/../../secret.html',
    '/assets/%2e%2e/%2e%2e/secret.html',
    '/..\\secret.html',
    '//etc/passwd',
    '/%00',
    '/%ff%fe',
    '/link.html',
    '/__proto__',
    '/constructor',
    '/assets/',
    '/assets',
  ];
  for (const path of paths) {
    const { status, text } = await requestRawPath(server, path);
    expect([400, 404], path).toContain(status);
    expect(text, path).not.toContain('secret');
  }
});

it('names the command that builds the pages if they are missing', async () => {
  await using server = await startTestServer({ assets: join(folder, 'nowhere') });
  const answer = await fetch(server.running.url);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('npm run build -w packages/dashboard');
  expect((await server.get('/api/v1/health')).status).toBe(200);
});
