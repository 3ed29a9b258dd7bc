/** The strip about the real controllers: what stands for them, and for the presenter the commands. Not the picture's time. */
import type { Control } from "../base/rows.gen.ts";
import { countdown } from "../base/time.ts";
import type { App } from "../view/app.ts";
import type { Given } from "../view/classroom.ts";
import { Keyed, attr, h, part, say, show } from "../view/dom.ts";
import { ask } from "./ask.ts";
import { chipsOf, warningOf } from "./chips.ts";
import type { Chip } from "./chips.ts";

/** For how long it is said what was done, ms: what stands has a chip. */
const saidFor = 6_000;

type Fields = Readonly<Record<string, string | number | undefined>>;

export class ControlElement extends HTMLElement {
  private app: App | undefined;
  private offer: Given["offer"] | undefined;
  private toggle: HTMLButtonElement | undefined;
  private chips: Keyed<Chip, HTMLLIElement> | undefined;
  private readonly warned = new Set<string>();
  private now = 0;
  private forgetting = 0;

  /** toggle opens the commands; undefined on a viewer's page, which has none. */
  connect({ app, offer }: Given, toggle: HTMLButtonElement | undefined): void {
    this.app = app;
    this.offer = offer;
    this.toggle = toggle;
    this.chips = new Keyed(
      part(this, "standing"),
      (chip) => chip.key,
      chipElement,
      (li, chip) => {
        this.fill(li, chip);
      },
    );
    toggle?.addEventListener("click", () => {
      this.open(!this.isOpen());
    });
    for (const button of this.querySelectorAll<HTMLButtonElement>("button[data-command]")) {
      button.addEventListener("click", () => void this.press(button));
    }
    this.querySelector("[name=when]")?.addEventListener("input", () => {
      // A condition may speak of any phase: the one that is offered is not the one that was chosen.
      const phase = this.querySelector<HTMLSelectElement>("[name=phase]");
      if (phase?.selectedOptions[0]?.defaultSelected === true) phase.value = "";
    });
    for (const form of this.querySelectorAll("form")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        void this.submit(form);
      });
    }
    const more = this.querySelector("details");
    // What is wrong with a command stands below the fields, and goes with them.
    more?.addEventListener("toggle", () => {
      (more.open ? more : part(this, "do")).append(part(this, "said"));
      this.answer("", false);
    });
    // Wide pages lay it over the map: who goes on elsewhere sees what comes of it.
    document.addEventListener("pointerdown", (event) => {
      if (more && innerWidth > 760 && !event.composedPath().includes(this)) more.open = false;
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen()) return;
      event.preventDefault();
      this.open(false);
      toggle?.focus();
    });
  }

  /** The key: opens the commands, then pauses and resumes. */
  pauseOrResume(): void {
    if (this.toggle?.hidden !== false) return;
    if (!this.isOpen()) return this.open(true);
    void this.run({ command: this.stands() ? "resume" : "pause" });
  }

  step(by: "phase" | "reconcile"): void {
    if (this.isOpen()) void this.run({ command: "step", by });
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    this.now = app.recording === undefined ? app.watch.hubNow() : app.playhead.now();
    const able = app.model.lanes(this.now).filter((lane) => lane.controller.control === true);
    const standing = this.standing();
    if (this.toggle !== undefined) {
      show(this.toggle, able.length > 0);
      if (able.length === 0) this.open(false);
      const names = able.map((lane) => lane.name);
      this.offer?.(part(this, "which"), names);
      part<HTMLButtonElement>(this, "resume").disabled = !this.stands();
      part<HTMLButtonElement>(this, "pause").disabled = this.paused();
      // An answer that stands there as a chip is only read out.
      const said = part(this, "said");
      if (standing.some(({ text }) => text === said.textContent)) said.classList.add("unseen");
    }
    const chips = chipsOf(app.model.holdsAt("", this.now), standing, app.model);
    show(this, this.isOpen() || chips.length > 0);
    this.chips?.paint(chips);
    for (const chip of chips) this.warn(chip);
  }

  /** There is something to resume while the controller is paused or a worker is held. */
  private stands(): boolean {
    return this.paused() || (this.app?.model.holdsAt(this.which(), this.now).length ?? 0) > 0;
  }

  private paused(): boolean {
    const which = this.which();
    return this.standing().some((row) => row.command === "pause" && row.controller === which);
  }

  private standing(): readonly Control[] {
    return this.app?.model.controlsAt(this.now) ?? [];
  }

  private isOpen(): boolean {
    return this.toggle?.getAttribute("aria-expanded") === "true";
  }

  private open(wanted: boolean): void {
    if (this.toggle === undefined || wanted === this.isOpen()) return;
    attr(this.toggle, "aria-expanded", String(wanted));
    show(part(this, "do"), wanted);
    this.answer("", false);
    if (wanted) show(this, true);
    if (wanted) this.querySelector<HTMLElement>("button[data-command]:enabled")?.focus();
    this.app?.wake();
  }

  private which(): string {
    return part<HTMLSelectElement>(this, "which").value;
  }

  private fill(li: HTMLLIElement, chip: Chip): void {
    const { text, until, lift } = chip;
    const left = until > 0 ? ` · ends in ${countdown(Math.max(0, until - this.now))}` : "";
    say(part(li, "text"), text);
    attr(li, "title", text);
    say(part(li, "left"), left);
    li.classList.toggle("is-ending", warningOf(chip, this.now) !== "");
    const button = part<HTMLButtonElement>(li, "lift");
    show(button, lift !== undefined && this.toggle !== undefined);
    if (lift === undefined) return;
    attr(button, "aria-label", `Lift: ${text}`);
    button.onclick = () => {
      this.lift(lift);
    };
  }

  /** Ends a command that stands. */
  lift({ controller, key: id }: Control): void {
    void this.run({ command: "lift", controller, id });
  }

  private warn(chip: Chip): void {
    const said = warningOf(chip, this.now);
    if (this.toggle === undefined || said === "" || this.warned.has(chip.key)) return;
    this.warned.add(chip.key);
    this.answer(said, true);
  }

  private async press({ dataset }: HTMLButtonElement): Promise<void> {
    await this.run({ command: dataset["command"] ?? "", by: dataset["by"] });
  }

  private async submit(form: HTMLFormElement): Promise<void> {
    const fields: Record<string, string | number> = { command: form.dataset["command"] ?? "" };
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      field.removeAttribute("aria-invalid");
      const { value } = field;
      if (value.trim() !== "") fields[field.name] = field.name === "factor" ? Number(value) : value.trim();
    }
    const { delay, seconds } = form.querySelector<HTMLSelectElement>("[name=fault]")?.selectedOptions[0]?.dataset ?? {};
    if ((delay ?? "") !== "") fields["delay_ms"] = Number(delay);
    if ((seconds ?? "") !== "") fields["seconds"] = Number(seconds);
    const wrong = await this.run(fields);
    // The hub's error begins with the name of the field that is wrong.
    const field = form.querySelector<HTMLElement>(`[name="${/^\w+/.exec(wrong)?.[0] ?? ""}"]`);
    field?.setAttribute("aria-invalid", "true");
    field?.focus();
  }

  /** Gives a command; answers what is wrong with it, "" where nothing is. */
  private async run(fields: Fields): Promise<string> {
    const late = (said: string): void => {
      this.answer(said, true);
    };
    const { text = "", note = "", refused } = await ask("control", { controller: this.which(), ...fields }, late);
    this.answer(refused === "" ? [text, note].filter((said) => said !== "").join(". ") : refused, refused !== "");
    // What is wrong, or to be minded, stays until the next command.
    if (refused === "" && note === "")
      this.forgetting = window.setTimeout(() => {
        this.answer("", false);
      }, saidFor);
    return refused;
  }

  private answer(text: string, bad: boolean): void {
    clearTimeout(this.forgetting);
    const said = part(this, "said");
    said.className = bad ? "control-said is-error" : "control-said";
    say(said, text);
  }
}

function chipElement(): HTMLLIElement {
  const lift = h("button", { class: "button small", type: "button", "data-part": "lift" }, "Lift");
  return h("li", { class: "stand" }, h("span", { "data-part": "text" }), h("span", { "data-part": "left" }), lift);
}
