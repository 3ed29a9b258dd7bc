/** The names of items, and whose namespace has to be said with them. */

/** nameOf is the last part of an item's key: web of default/web. */
export function nameOf(item: string): string {
  return item.slice(item.lastIndexOf("/") + 1);
}

/** Names knows which items share their name with one of another namespace. */
export class Names {
  /** How often an item was put in, and how many items have a name. */
  private readonly items = new Map<string, number>();
  private readonly names = new Map<string, number>();
  /** How many names several items have. */
  shared = 0;

  /** Puts an item in, or with -1 takes it out. */
  count(item: string, by: 1 | -1): void {
    const n = add(this.items, item, by);
    if (n !== (by > 0 ? 1 : 0)) return;
    const alike = add(this.names, nameOf(item), by);
    if (alike === (by > 0 ? 2 : 1)) this.shared += by;
  }

  /** called is an item's name, with its namespace where another has the same name. */
  called(item: string): string {
    const name = nameOf(item);
    return (this.names.get(name) ?? 0) > 1 ? item : name;
  }
}

function add(counts: Map<string, number>, key: string, by: number): number {
  const n = (counts.get(key) ?? 0) + by;
  if (n === 0) counts.delete(key);
  else counts.set(key, n);
  return n;
}
