/** Time that nobody can set, and that rings. A simulation brings its own. */
export type Stopwatch = {
  /** Milliseconds since some moment. */
  now(): number;
  /** Rings once, unless the function it returns is called first. */
  ring(ms: number, then: () => void): () => void;
};

export const systemStopwatch: Stopwatch = {
  now: () => performance.now(),
  ring(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
