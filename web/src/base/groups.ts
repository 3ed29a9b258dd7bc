import { getOrInsert } from "./getorinsert.ts";

/** Groups keeps rows by keys of theirs: who asks for one key looks through no other rows. A row may have several keys. */
export class Groups<T> {
  private readonly groups = new Map<string, Set<T>>();
  private readonly keysOf: (row: T) => readonly string[];

  constructor(keysOf: (row: T) => readonly string[]) {
    this.keysOf = keysOf;
  }

  add(row: T): void {
    for (const key of this.keysOf(row)) getOrInsert(this.groups, key, () => new Set<T>()).add(row);
  }

  /** Takes out this very row; nothing happens when it is not there. */
  remove(row: T): void {
    for (const key of this.keysOf(row)) {
      const group = this.groups.get(key);
      if (group?.delete(row) === true && group.size === 0) this.groups.delete(key);
    }
  }

  /** The rows with this key, in the order in which they were added. */
  get(key: string): readonly T[] {
    return [...(this.groups.get(key) ?? [])];
  }
}
