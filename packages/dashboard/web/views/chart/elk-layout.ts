import ELK from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { parseElkLayout, type ElkResult, type ElkGraph, type ElkLayout } from './layout-model.ts';

type LayoutEngine = { readonly elk: InstanceType<typeof ELK>; readonly broken: Promise<never> };

/** One worker for all charts: it is large to load, and it runs off the main thread to keep the page responsive. */
let layoutEngine: LayoutEngine | null = null;

const layoutCache = new Map<string, Promise<ElkLayout>>();
const cachedLayoutsMax = 32;

/** Computes the layout of a graph; results are cached. */
export function layOutGraph(graph: ElkGraph): Promise<ElkLayout> {
  const key = JSON.stringify(graph);
  const cached = layoutCache.get(key);
  if (cached !== undefined) return cached;
  layoutEngine ??= startLayoutEngine();
  const { elk, broken } = layoutEngine;
  // elk mutates its input.
  const copy = JSON.parse(key) as Parameters<typeof elk.layout>[0];
  const layout = Promise.race([elk.layout(copy), broken]).then((result) =>
    parseElkLayout(result as ElkResult),
  );
  if (layoutCache.size >= cachedLayoutsMax) layoutCache.clear();
  layoutCache.set(key, layout);
  layout.catch(() => layoutCache.delete(key));
  return layout;
}

/** elk never settles if its worker cannot be loaded, so the engine reports that error itself. */
function startLayoutEngine(): LayoutEngine {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const workerFactory = (url: string = workerUrl): Worker => {
    const worker = new Worker(url);
    worker.addEventListener('error', () => {
      layoutEngine = null;
      reject(
        new Error('The chart layout could not be loaded. Reload the page, or use the text version below.'),
      );
    });
    return worker;
  };
  return { elk: new ELK({ workerUrl, workerFactory }), broken };
}
