/** What stands above a mark of the line of time while the pointer is over it. */
import type { App } from "./app.ts";
import { h, say, show } from "./dom.ts";
import { markSaid } from "./linemarks.ts";
import type { LineMark } from "./linemarks.ts";

export class LineTip {
  private readonly root = h("div", { class: "line-tip", hidden: true, "aria-hidden": "true" });
  private readonly what = h("strong");
  private readonly when = h("span");
  private readonly app: App;

  constructor(line: HTMLElement, app: App) {
    this.app = app;
    this.root.append(this.what, this.when);
    line.append(this.root);
  }

  /** Shows what a mark is, or nothing. */
  show(mark: LineMark | undefined): void {
    const { root, app } = this;
    show(root, mark !== undefined);
    if (mark === undefined) return;
    const [what, when] = markSaid(mark, app.zone(), (item) => app.model.called(item));
    say(this.what, what);
    say(this.when, when);
    const { offsetWidth: wide, parentElement: line } = root;
    const left = Math.max(0, Math.min((line?.clientWidth ?? 0) - wide, mark.x - wide / 2));
    root.style.left = `${String(Math.round(left))}px`;
  }
}
