/** The panel with which a visitor makes real API calls. */
import type { Cause, Item, Write } from "../base/rows.gen.ts";
import { clock } from "../base/time.ts";
import type { App } from "../view/app.ts";
import type { Given } from "../view/classroom.ts";
import { h, part, say } from "../view/dom.ts";
import { nameOf } from "../view/words.ts";
import { ask } from "./ask.ts";

const wording: Readonly<Record<string, string>> = {
  create: "Creating",
  scale: "Scaling",
  "delete-pod": "Deleting a Pod of",
  "change-template": "Changing the template of",
  delete: "Deleting",
  "five-edits": "Editing five times",
  conflict: "Writing on an old version of",
};

/** How much is played before an action, µs of the hub's clock: that is known to a few ms. */
const lead = 5_000;

export class TryItElement extends HTMLElement {
  private app: App | undefined;
  private toggle: HTMLButtonElement | undefined;
  private given: Given | undefined;
  private replicas = 3;
  /** How many replicas an action may ask for. */
  private most = 0;
  /** The item whose size the stepper was set to, and that size: it is set anew when one of them changes. */
  private sizedFor = "";
  private size: number | undefined;
  /** The item whose controller may be about to meet a conflict, and since when, µs of the hub's clock. */
  private awaited: { readonly item: string; readonly since: number } | undefined;

  connect(given: Given, toggle: HTMLButtonElement): void {
    const { app } = given;
    this.app = app;
    this.given = given;
    this.toggle = toggle;
    this.most = Number(this.dataset["most"] ?? 0);
    // A reconcile that is looked at needs the room.
    app.selection.subscribe(() => {
      this.fold(app.selection.get() !== undefined);
    });
    document.addEventListener("click", ({ target }) => {
      // On a narrow page all of it has room, one below the other.
      if (target instanceof Element && target.closest("[data-panel]") !== null && !narrow()) this.fold(true);
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.open(false);
    });
    this.on("fold", "click", () => {
      this.fold(!this.isFolded());
    });
    this.on("close", "click", () => {
      this.open(false);
    });
    // Scale asks for what stands there: it is of the PodSet that is chosen from the first moment on.
    this.on("item", "change", () => {
      this.paint();
    });
    this.on("less", "click", () => {
      this.resize(this.replicas - 1);
    });
    this.on("more", "click", () => {
      this.resize(this.replicas + 1);
    });
    this.on("create", "submit", (event) => {
      event.preventDefault();
      this.create();
    });
    for (const button of this.querySelectorAll<HTMLButtonElement>("[data-action]")) {
      button.addEventListener("click", () => {
        this.act(button.dataset["action"] ?? "");
      });
    }
  }

  /** What the button in the page's head does. */
  press(): void {
    if (this.isFolded()) this.fold(false);
    else this.open(this.hasAttribute("hidden"));
  }

  /** Opens or closes the panel; opening moves the focus into it. */
  open(wanted: boolean): void {
    this.hidden = !wanted;
    this.fold(false);
    this.parentElement?.classList.toggle("has-tryit", wanted);
    this.toggle?.setAttribute("aria-expanded", String(wanted));
    if (!wanted) return this.toggle?.focus();
    this.paint();
    const field = this.querySelector<HTMLElement>("select:not(:disabled), input:not(:disabled)");
    (field ?? part(this, "close")).focus();
    if (narrow()) this.scrollIntoView();
  }

  /** Closes the panel, unless it is folded away beneath something else; answers whether it did. */
  escape(): boolean {
    const leave = !this.hidden && !(this.isFolded() && this.app?.selection.get() !== undefined);
    if (leave) this.open(false);
    return leave;
  }

  private isFolded(): boolean {
    return this.classList.contains("is-folded");
  }

  /** Leaves only the head and what the last action answered, or shows all again. */
  private fold(wanted: boolean): void {
    const folded = wanted && !this.hidden;
    this.classList.toggle("is-folded", folded);
    const button = part(this, "fold");
    button.setAttribute("aria-expanded", String(!folded));
    button.textContent = folded ? "Show" : "Fold";
  }

  paint(): void {
    const app = this.app;
    if (app === undefined || this.hidden) return;
    const items = podSets(app);
    const select = part<HTMLSelectElement>(this, "item");
    const names = items.map((item) => item.item);
    this.given?.offer(select, names);
    const none = names.length === 0;
    if (none && !select.disabled) part(this, "name").scrollIntoView({ block: "nearest" });
    select.disabled = none || !this.hasAttribute("data-can-act");
    for (const button of this.querySelectorAll<HTMLButtonElement>("[data-action]")) button.disabled = none;
    this.takeSize(app, select.value);
    this.tellConflict();
  }

  private takeSize(app: App, item: string): void {
    const run = app.model.latestFinished(item);
    const field = run?.object.fields?.find((candidate) => candidate.path === "spec.replicas");
    const size = Number(field?.value);
    const known = Number.isFinite(size) && field !== undefined ? size : undefined;
    const mark = `${item}=${String(known)}`;
    if (mark === this.sizedFor) return;
    this.sizedFor = mark;
    this.size = known;
    say(part(this, "now"), known === undefined ? "" : `${String(known)} →`);
    this.resize(known === undefined ? 3 : otherSize(known, this.most));
    const over = part(this, "over");
    over.hidden = known === undefined || known <= this.most;
    say(over, over.hidden ? "" : `It has ${String(known)}; from here up to ${String(this.most)}.`);
  }

  private resize(to: number): void {
    this.replicas = Math.max(0, Math.min(this.most, to));
    part(this, "replicas").textContent = String(this.replicas);
    part<HTMLButtonElement>(this, "less").disabled = this.replicas === 0;
    part<HTMLButtonElement>(this, "more").disabled = this.replicas === this.most;
  }

  private act(action: string): void {
    const item = part<HTMLSelectElement>(this, "item").value;
    if (item === "") return;
    const [namespace, name] = split(item);
    const args: Record<string, string> = { namespace, name };
    if (action === "scale") args["replicas"] = String(this.replicas);
    void this.run(action, args);
  }

  private create(): void {
    const input = part<HTMLInputElement>(this, "name");
    const name = input.value.trim();
    if (name === "") {
      this.answer("Give the PodSet a name: lower-case letters, digits and -, up to 63.");
      return input.focus();
    }
    void this.run("create", { namespace: "default", name, replicas: this.dataset["new"] ?? "" }).then((ok) => {
      if (ok) input.value = "";
    });
  }

  private async run(action: string, args: Readonly<Record<string, string>>): Promise<boolean> {
    this.answer(`${wording[action] ?? action} ${args["name"] ?? ""} …`, " is-busy");
    const size = String(Math.min(this.most, this.size ?? this.replicas));
    const item = `${args["namespace"] ?? ""}/${args["name"] ?? ""}`;
    this.given?.reveal(this.controllerOf(action === "create" ? "" : item));
    this.awaited = undefined;
    const since = this.app?.watch.hubNow() ?? 0;
    const { summary = "", refused } = await ask(`actions/${action}`, args, (text) => {
      this.answer(text);
    });
    const ok = refused === "";
    const conflict = action === "conflict";
    // What was asked for is a refusal: that is no success to be shown in green.
    this.answer(refused || summary, ok ? (conflict ? " is-busy" : "") : " is-error");
    if (!ok) return false;
    if (conflict) {
      this.awaited = { item, since };
      this.tellConflict();
    }
    if (action === "create") {
      this.given?.prefer(part(this, "item"), item);
      this.paint();
    }
    if (action === "delete") this.offerAgain({ ...args, replicas: size });
    this.showFrom(since);
    return true;
  }

  /**
   * What was done at t is seen live; or, where another speed was chosen before, from just before t on at that speed. The
   * way back to the moment that was looked at is offered.
   */
  private showFrom(t: number): void {
    const { app } = this;
    if (app === undefined) return;
    const { playhead } = app;
    const { following, speed } = playhead;
    const at = playhead.now();
    let said = "Back to live to show it.";
    if (speed < 1) {
      playhead.playFrom(t - lead);
      said = "It plays slowly, from the action on.";
    } else playhead.follow();
    if (following) return;
    this.given?.tell(said, `Back to ${clock(at, app.zone())}`, () => {
      playhead.seek(at);
    });
  }

  /** The controller of an item, or, of one that is not there yet, the one that has others like it. */
  private controllerOf(item: string): string {
    const items = this.app === undefined ? [] : podSets(this.app);
    return (items.find((candidate) => candidate.item === item) ?? items[0])?.controller ?? "";
  }

  private answer(text: string, look = " is-error"): void {
    const said = part(this, "said");
    said.className = `tryit-said${look}`;
    said.replaceChildren(h("span", {}, text));
  }

  /**
   * Once the controller has met the conflict that the page has brought about, that is what is told: which write was
   * refused, and, as soon as it is known, whose write had come before it.
   */
  private tellConflict(): void {
    const { app, awaited } = this;
    if (app === undefined || awaited === undefined) return;
    // One on no version is no such conflict: it makes what is there already.
    const lost = ({ status, before = "" }: Write): boolean => status === 409 && before !== "";
    const run = app.model
      .reconcilesOf(this.controllerOf(awaited.item), awaited.item)
      .filter((one) => one.start > awaited.since && one.writes.some(lost))
      .at(-1);
    const write = run?.writes.find(lost);
    if (run === undefined || write === undefined) return;
    const by = app.model.overtaken(run, write)?.cause;
    if (by !== undefined) this.awaited = undefined;
    const said = part(this, "said");
    const first = by === undefined ? "" : `: ${whose(by)} had made rv ${String(by.resourceVersion)} first`;
    const text = `${run.controller}'s ${write.subresource ?? ""} write on rv ${String(write.before)} was refused, 409 Conflict${first}.`;
    const known = said.querySelector("span");
    if (said.querySelector("button") !== null && known !== null) return say(known, text);
    const link = h("button", { class: "link", type: "button" }, "Show the reconcile");
    link.addEventListener("click", () => {
      this.given?.go(run.key, "");
    });
    said.replaceChildren(h("span", {}, text), link);
  }

  private offerAgain(args: Readonly<Record<string, string>>): void {
    const again = h("button", { class: "button small", type: "button" }, "Create it again");
    again.addEventListener("click", () => {
      void this.run("create", args);
    });
    part(this, "said").append(again);
  }

  private on(name: string, event: string, run: (event: Event) => void): void {
    part(this, name).addEventListener(event, run);
  }
}

/** otherSize is one more than there are, or one fewer where that is too many: what the first press is to change. */
function otherSize(now: number, most: number): number {
  return now < most ? now + 1 : most - (now === most ? 1 : 0);
}

/** The PodSets that are there: items whose controller reconciles PodSets, the gone ones left out. */
function podSets(app: App): readonly Item[] {
  const of = (item: Item): boolean => (app.model.controller(item.controller)?.kind ?? "PodSet") === "PodSet";
  return app.model.items("").filter((item) => item.gone !== true && of(item));
}

function narrow(): boolean {
  return matchMedia("(max-width: 760px)").matches;
}

function split(item: string): readonly [string, string] {
  return item.includes("/") ? [item.slice(0, item.indexOf("/")), nameOf(item)] : ["default", item];
}

/** whose write a cause tells of. */
function whose({ by, manager = "somebody" }: Cause): string {
  return by === "self" ? "an own write" : manager;
}
