/** A view whose script is loaded when the view is shown for the first time. */
import { h } from "./dom.ts";
import type { Scope, View } from "./scope.ts";

export class LaterView implements View {
  private readonly load: () => Promise<View>;
  private view: View | undefined;
  private said: string | undefined;

  constructor(load: () => Promise<View>) {
    this.load = load;
  }

  sign(scope: Scope): string {
    return this.view?.sign(scope) ?? this.ask(scope);
  }

  nodes(scope: Scope): Node[] {
    return this.view?.nodes(scope) ?? [h("p", { class: "quiet" }, this.said ?? "")];
  }

  private ask({ app }: Scope): string {
    if (this.said !== undefined) return this.said;
    this.said = "Loading …";
    void this.load()
      .then((view) => {
        this.view = view;
      })
      .catch(() => {
        this.said = "The hub did not send this view. Reload the page.";
      })
      .finally(() => {
        app.wake();
      });
    return this.said;
  }
}
