import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/output/exit-codes.ts';
import { writeAllowedCalls } from '../allow-calls.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import {
  createLedgerCalls,
  killProcess,
  killMethods,
  waitForProcessEnd,
  readLedgerLines,
  spawnPawl,
  findProcesses,
  type ProcessResult,
  type KillMethod,
  type TortureWorkspace,
} from './supervisor.ts';

const isSoak = process.env['PAWL_SOAK'] === '1';
const killsMin = isSoak ? 300 : 12;
const callsPerSession = 24;
const seed = Number(process.env['PAWL_SEED'] ?? Date.now() % 1_000_000);

/** Deterministic per seed, so that the kills can be repeated, although not at the same instruction. */
function createRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs one session per core; each has its own model and folder. */
const lanes = isSoak ? 2 : 1;

let folder = '';
const models = new Set<ModelServer>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-torture-'));
});
afterEach(() => {
  for (const model of models) model.close();
  models.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** A session that is run to its end. */
type TorturedSession = {
  readonly place: TortureWorkspace;
  readonly model: ModelServer;
  readonly about: string;
};

describe('pawl, killed repeatedly', { tags: ['linux'] }, () => {
  it(
    'starts no command twice, loses nothing, and always resumes',
    async () => {
      const random = createRandom(seed);
      const tally = new Map<KillMethod, number>();
      const startedAt = Date.now();
      const total = { sessions: 0, kills: 0, calls: 0 };
      const killed = (how: KillMethod): void => {
        total.kills += 1;
        tally.set(how, (tally.get(how) ?? 0) + 1);
      };
      const lane = async (): Promise<void> => {
        while (total.kills < killsMin) {
          total.sessions += 1;
          const victim = await createTorturedSession(total.sessions, random);
          const done = await runThroughKills(victim, random, killed);
          expect(done.out, `${done.err}\n${victim.about}`).toContain('All of it is done.');
          total.calls += callsPerSession;
          await checkTorturedSession(victim);
          victim.model.close();
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      const minutes = (Date.now() - startedAt) / 60_000;
      const kinds = [...tally].map(([how, count]) => `${how} ${count}`).join(', ');
      console.log(
        `torture: seed ${seed}, ${total.kills} kills (${kinds}), ${total.calls} calls, ${Math.round(total.kills / minutes)} kills a minute, 0 started twice`,
      );
    },
    isSoak ? 1_800_000 : 300_000,
  );
});

async function createTorturedSession(session: number, random: () => number): Promise<TorturedSession> {
  const place = createTortureWorkspace(session);
  const model = await startModelServer(
    createLedgerCalls(callsPerSession, place.tool, () => Math.floor(random() * 120)),
  );
  models.add(model);
  return { place, model, about: `seed ${seed}, session ${session}` };
}

function createTortureWorkspace(session: number): TortureWorkspace {
  const env = {
    ...process.env,
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  writeAllowedCalls(join(folder, 'config'), 'allow shell');
  const work = mkdtempSync(join(folder, `work-${session}-`));
  const tool = `pawl-ledger-tool-${process.pid}-${session}`;
  return { folder: work, store: join(folder, `kept-${session}`, 'sessions.db'), env, tool };
}

/** Runs a session to its end, through any number of crashes. */
async function runThroughKills(
  { place, model }: TorturedSession,
  random: () => number,
  killed: (how: KillMethod) => void,
): Promise<ProcessResult> {
  const flags = ['--model', 'openai-compatible:m', '--base-url', model.url, '--mode', 'full-auto'];
  let state: 'new' | 'begun' | 'given-up' = 'new';
  const argsFor = {
    new: ['run', ...flags, 'Do all of it.'],
    begun: resumeArguments,
    'given-up': [...resumeArguments, 'Go on.'],
  };
  for (let round = 0; round < 1_000; round += 1) {
    const how = killMethods[Math.floor(random() * killMethods.length)] ?? 'kill';
    const result = await runAndKill(how, random(), { place, model }, argsFor[state]);
    if (result.code === 0) return result;
    // After three truncated replies in a row the turn fails, so send a message to continue.
    if (result.code === exitCodes.model) state = 'given-up';
    else if (result.code === null || result.code === exitCodes.interrupted) killed(how);
    else throw new Error(`pawl ended with ${result.code} in state ${state}, seed ${seed}: ${result.err}`);
    // A run that was killed before it stored anything is run again.
    if (state === 'new' && model.asked.count > 0 && existsSync(place.store)) state = 'begun';
  }
  throw new Error('It never came to an end.');
}

const resumeArguments = ['resume', 'last'];

async function runAndKill(
  how: KillMethod,
  moment: number,
  { place, model }: Pick<TorturedSession, 'place' | 'model'>,
  args: readonly string[],
): Promise<ProcessResult> {
  const child = spawnPawl(place, ...args);
  const ended = waitForProcessEnd(child);
  await killProcess(child, how, moment, { model, tool: place.tool });
  return ended;
}

async function checkTorturedSession({ place, model, about }: TorturedSession): Promise<void> {
  expect(model.asked.problems, about).toEqual([]);
  expect(findProcesses(place.tool), about).toEqual([]);
  const ledger = readLedgerLines(join(place.folder, 'ledger'));
  const starts = ledger.filter((line) => line.endsWith('start'));
  expect(new Set(starts).size, `${about}: ${starts.join(', ')}`).toBe(starts.length);
  const effects = readLedgerLines(join(place.folder, 'effects'));
  expect(new Set(effects).size, about).toBe(effects.length);
  const ends = ledger.filter((line) => line.endsWith('end'));
  for (const line of ends) expect(starts, about).toContain(line.replace('end', 'start'));
  checkReportedResults({ place, model, about }, ends);
  const first = await waitForProcessEnd(spawnPawl(place, 'replay', 'last', '--json'));
  const second = await waitForProcessEnd(spawnPawl(place, 'replay', 'last', '--json'));
  expect(first.code, first.err).toBe(0);
  expect(first.out).toBe(second.out);
  const database = new DatabaseSync(place.store);
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
  const leftovers = readdirSync(place.folder).filter((name) => name.startsWith('.pawl-'));
  expect(leftovers, about).toEqual([]);
  const spool = join(place.store, '..', 'spool');
  expect(existsSync(spool) ? readdirSync(spool) : [], about).toEqual([]);
}

/**
 * The results given to the model match the ledger: completed calls are reported as completed, uncertain ones as
 * interrupted.
 */
function checkReportedResults({ place, model, about }: TorturedSession, ends: readonly string[]): void {
  expect(model.asked.results, about).toHaveLength(callsPerSession);
  for (const [number, result] of model.asked.results.entries()) {
    if (number % 3 === 2) {
      expect(readFileSync(join(place.folder, `file-${number}`), 'utf8'), about).toBe(
        `${number}\n`.repeat(1_000),
      );
    } else if (result.includes('"exitCode":0')) {
      expect(ends, `${about}: ${result}`).toContain(`${number} end`);
    } else {
      expect(result, about).toMatch(
        /[Ii]t may have (?:run fully, partly|completed, partially completed) or not|was cancelled|was killed by signal|exit code 1(?:37|43)/,
      );
    }
  }
}
