import ELK from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { layoutFrom, type ElkAnswer, type ElkGraph, type Layout } from './layout-model.ts';

type Engine = { readonly elk: InstanceType<typeof ELK>; readonly broken: Promise<never> };

/** One worker for all charts: it is large to load, and it thinks beside the page, which stays quick. */
let engine: Engine | null = null;

const known = new Map<string, Promise<Layout>>();
const knownMax = 32;

/** Where everything goes. The same graph is laid out once. */
export function laidOut(graph: ElkGraph): Promise<Layout> {
  const key = JSON.stringify(graph);
  const before = known.get(key);
  if (before !== undefined) return before;
  engine ??= startEngine();
  const { elk, broken } = engine;
  // elk writes into what it is given.
  const copy = JSON.parse(key) as Parameters<typeof elk.layout>[0];
  const layout = Promise.race([elk.layout(copy), broken]).then((answer) => layoutFrom(answer as ElkAnswer));
  if (known.size >= knownMax) known.clear();
  known.set(key, layout);
  layout.catch(() => known.delete(key));
  return layout;
}

/** elk itself waits for ever for a worker that could not be loaded. */
function startEngine(): Engine {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const workerFactory = (url: string = workerUrl): Worker => {
    const worker = new Worker(url);
    worker.addEventListener('error', () => {
      engine = null;
      reject(
        new Error('What lays out the chart could not be loaded. Load the page again; below it is in words.'),
      );
    });
    return worker;
  };
  return { elk: new ELK({ workerUrl, workerFactory }), broken };
}
