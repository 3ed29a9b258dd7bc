/** A value that can be watched. Setting it tells its watchers, whose job is to mark something dirty, never to paint. */
export interface Signal<T> {
  get(): T;
  /** Tells the watchers, unless the value is the same (Object.is). */
  set(value: T): void;
  /** Calls watch after each change; the function given back ends that. */
  subscribe(watch: () => void): () => void;
}

/** signal makes a Signal that holds value. */
export function signal<T>(value: T): Signal<T> {
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const watch of [...watchers]) watch();
    },
    subscribe(watch) {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
  };
}
