import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Rows, whole } from "./rows.ts";

/** A list as far as Rows knows it. */
class List {
  children: Row[] = [];

  get firstElementChild(): Row | null {
    return this.children[0] ?? null;
  }

  insertBefore(row: Row, before: Row | null): void {
    row.remove();
    row.list = this;
    this.children.splice(before === null ? this.children.length : this.children.indexOf(before), 0, row);
  }

  get text(): string {
    return this.children.map(({ text }) => text).join(" ");
  }
}

class Row {
  list: List | undefined;
  text = "";

  get nextElementSibling(): Row | null {
    const all = this.list?.children ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }

  remove(): void {
    if (this.list !== undefined) this.list.children = this.list.children.filter((row) => row !== this);
    this.list = undefined;
  }
}

interface Item {
  readonly key: string;
}

interface Made {
  readonly list: List;
  readonly rows: Rows<Item, Row & Element>;
  /** The keys that were written, in order. */
  readonly written: string[];
}

function made(): Made {
  const list = new List();
  const written: string[] = [];
  const fill = (row: Row, item: Item, before: Item | undefined): boolean => {
    if (item === before) return false;
    row.text = item.key;
    written.push(item.key);
    return true;
  };
  const rows = new Rows<Item, Row & Element>(list as unknown as Element, () => new Row() as Row & Element, fill);
  return { list, rows, written };
}

const itemsOf = (keys: string): readonly Item[] => keys.split(" ").map((key) => ({ key }));

test("a list is painted a few rows at a step, each of them whole", () => {
  const { list, rows } = made();
  const steps = rows.paint(itemsOf("j i h g f e d c b a"));
  const seen = [];
  while (steps.next().done !== true) seen.push(list.text);
  assert.deepEqual([...seen, list.text], ["j i h g", "j i h g f e d c", "j i h g f e d c b a"]);
});

test("what has come takes the rows of what has gone, and nothing else is written", () => {
  const { list, rows, written } = made();
  const items = itemsOf("g f e d c b a");
  whole(rows.paint(items.slice(2)));
  const before = new Set(list.children);
  written.length = 0;
  whole(rows.paint(items.slice(0, 5)));
  assert.equal(list.text, "g f e d c");
  assert.deepEqual(written, ["g", "f"]);
  assert.deepEqual(new Set(list.children), before);
});

test("what is painted later ends what is still being painted", () => {
  const { list, rows } = made();
  const first = rows.paint(itemsOf("a b c d e f"));
  first.next();
  whole(rows.paint(itemsOf("x b y")));
  assert.equal(first.next().done, true);
  assert.equal(list.text, "x b y");
});

test("a list that is stopped is left as it is, and says what it shows", () => {
  const { list, rows } = made();
  whole(rows.paint(itemsOf("f e d c b a")));
  const steps = rows.paint(itemsOf("l k j i h g"));
  steps.next();
  const shown = rows.stop().map(({ key }) => key);
  assert.equal(steps.next().done, true);
  assert.equal(list.text, shown.join(" "));
  assert.deepEqual(shown.filter((key) => key < "g").length, 2);
});

test("whatever was listed or broken off before, the list is what was painted last", () => {
  const keys = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop"));
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.nat(4))), keys, (before, last) => {
      const { list, rows } = made();
      const items = (listed: readonly string[]): readonly Item[] => listed.map((key) => ({ key }));
      for (const [listed, n] of before) {
        const steps = rows.paint(items(listed));
        for (let i = 0; i < n; i++) steps.next();
      }
      whole(rows.paint(items(last)));
      assert.equal(list.text, last.join(" "));
    }),
  );
});
