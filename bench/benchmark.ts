/** `smoke`: just enough to see that the benchmark still works. */
export type Benchmark = (effort: { smoke: boolean }) => Promise<void>;
