/** Which of the panel's views is shown: those of everything, or those of what is selected. */
import { attr, h, say } from "./dom.ts";

/** The views, by the word that data-panel names them with. */
export type Tab = "latest" | "queue" | "charts" | "start" | "findings" | "run" | "item" | "chain";

const names: Readonly<Record<Tab, string>> = {
  latest: "Latest",
  queue: "Queue",
  charts: "Controllers",
  start: "Why nothing?",
  findings: "Findings",
  run: "Reconcile",
  item: "Item",
  chain: "Chain",
};
const ofAll: readonly Tab[] = ["latest", "queue", "charts", "start", "findings"];
const ofSelected: readonly Tab[] = ["run", "item", "chain"];

/** isTab tells whether a word names a view. */
export function isTab(word: string): word is Tab {
  return Object.hasOwn(names, word);
}

/** ofSelection tells whether a view is of what is selected. */
export function ofSelection(tab: Tab): boolean {
  return ofSelected.includes(tab);
}

/** The row of buttons above the views, and the choice of the controller that they are about. */
export class Tabs {
  readonly root = h("nav", { class: "tabs", "aria-label": "Panels" });
  private readonly buttons = new Map<Tab, HTMLElement>();
  private readonly lane = h("select", { class: "tabs-lane", "aria-label": "Controller", hidden: true });

  /** choose is called with the controller that was chosen. */
  constructor(choose: (lane: string) => void) {
    for (const tab of [...ofAll, ...ofSelected]) {
      const button = h("button", { class: "tab", type: "button", "data-panel": tab }, names[tab]);
      this.buttons.set(tab, button);
      this.root.append(button);
    }
    this.root.append(this.lane);
    this.lane.addEventListener("change", () => {
      choose(this.lane.value);
    });
  }

  /** findings is how many there are; without one there is no such view. What a lane's head leads to stands here while shown. lanes are the controllers to choose from. */
  paint(now: Tab, findings: number, lanes: readonly string[], lane: string): void {
    const shown = ofSelection(now) ? ofSelected : ofAll;
    for (const [tab, button] of this.buttons) {
      const rare = (tab === "findings" && findings === 0) || tab === "start";
      button.hidden = tab !== now && (rare || !shown.includes(tab));
      attr(button, "aria-current", String(tab === now));
    }
    const count = this.buttons.get("findings");
    if (count !== undefined) say(count, `Findings ${String(findings)}`);
    this.lane.hidden = lanes.length < 2 || !["queue", "charts", "start"].includes(now);
    if (this.lane.childElementCount !== lanes.length || this.lane.value !== lane) {
      this.lane.replaceChildren(...lanes.map((name) => h("option", { selected: name === lane }, name)));
    }
  }
}
