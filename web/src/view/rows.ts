/** A long list that is painted in steps, so that a frame has not to hold all of it. */

/** So many rows that something was written into are a step. */
const few = 4;

/** Rows keeps elements in step with keyed data. The row of what has gone becomes the row of what has come. */
export class Rows<T extends { readonly key: string }, E extends Element> {
  private readonly made = new Map<string, E>();
  private readonly items = new WeakMap<Element, T>();
  private turn = 0;
  private readonly root: Element;
  private readonly make: () => E;
  private readonly fill: (element: E, item: T, before: T | undefined) => boolean;

  /** fill answers whether it has written anything; before is what the row was of when it was filled last. */
  constructor(root: Element, make: () => E, fill: (element: E, item: T, before: T | undefined) => boolean) {
    this.root = root;
    this.make = make;
    this.fill = fill;
  }

  /** Ends what an earlier call has not yet painted. */
  *paint(items: readonly T[]): Generator<void> {
    const turn = ++this.turn;
    const wanted = new Set(items.map(({ key }) => key));
    const gone = [...this.made.keys()].filter((key) => !wanted.has(key));
    let at = this.root.firstElementChild;
    let written = 0;
    for (const item of items) {
      const element = this.of(item.key, gone);
      if (element === at) at = at.nextElementSibling;
      else this.root.insertBefore(element, at);
      const wrote = this.fill(element, item, this.items.get(element));
      this.items.set(element, item);
      if (!wrote || ++written % few > 0) continue;
      yield;
      if (turn !== this.turn) return;
    }
    for (const key of gone) {
      this.made.get(key)?.remove();
      this.made.delete(key);
    }
  }

  /** Leaves the list as far as it is painted; answers what it shows. */
  stop(): readonly T[] {
    this.turn++;
    return [...this.root.children].flatMap((element) => this.items.get(element) ?? []);
  }

  private of(key: string, gone: string[]): E {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const old = gone.pop() ?? "";
    const element = this.made.get(old) ?? this.make();
    this.made.delete(old);
    this.made.set(key, element);
    return element;
  }
}

/** whole takes all steps at once. */
export function whole(steps: Iterator<void>): void {
  while (steps.next().done !== true);
}
