/** Items that came again while a worker is held with them: marked, and in no queue until it is done. Known of now alone. */
import { nameOf } from "../layout/words.ts";
import type { Model } from "../model/types.ts";
import type { Held, QueueSlot } from "../scene/types.ts";

/** marksOf stands them behind what is in the queue. How many causes have come is told with the next reconcile. */
export function marksOf(model: Pick<Model, "item">, held: readonly Held[]): QueueSlot[] {
  return held
    .filter(({ lane, item }) => isMarked(model, lane, item))
    .map(({ lane, item, reconcile }) => {
      // Its name alone leaves room for the word.
      return { lane, item, label: nameOf(item), sub: "marked", since: 0, reconcile, dim: true };
    });
}

/** isMarked says that an item is to be looked at again when the worker that has it is done. */
export function isMarked(model: Pick<Model, "item">, controller: string, item: string): boolean {
  const row = model.item(controller, item);
  return row?.dirty === true && row.active;
}
