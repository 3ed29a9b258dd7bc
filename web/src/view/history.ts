/** What the hub keeps beyond the newest that it gives to every page: asked for once somebody needs it. */
import type { App } from "./app.ts";

export class History {
  private readonly app: App;
  private waiting: (() => void)[] = [];

  constructor(app: App) {
    this.app = app;
  }

  /** Calls then when all that the hub keeps is here: at once where it is. Answers whether it has to be waited for. */
  need(then: () => void): boolean {
    if (this.waiting.length === 0 && !this.deepen()) {
      then();
      return false;
    }
    this.waiting.push(then);
    return true;
  }

  paint(): void {
    const { app } = this;
    const { state } = app.watch.connection();
    if (state !== "live" && state !== "restored") return;
    const { waiting } = this;
    this.waiting = [];
    for (const then of waiting) then();
    // A search is of all that there is.
    if (app.filter.get().on) this.deepen();
  }

  private deepen(): boolean {
    const { model, watch, recording } = this.app;
    if (recording !== undefined || watch.whole()) return false;
    const all = model.lanes(watch.hubNow()).reduce((sum, { controller }) => sum + controller.reconciles, 0);
    return all > model.size && watch.deepen();
  }
}
