/** The strip about the real controllers: what stands for them, and for the presenter the commands. Not the picture's time. */
import type { Control, Hold } from "../base/rows.gen.ts";
import { SECOND, countdown } from "../base/time.ts";
import type { App } from "../view/app.ts";
import { Keyed, attr, h, part, say, show } from "../view/dom.ts";
import { nameOf } from "../view/words.ts";
import { patient } from "./ask.ts";

/** How long before its end it is said that a command ends by itself. */
const warnBefore = 60 * SECOND;

type Fields = Readonly<Record<string, string | number>>;

/** One line of what stands: a command, or a worker that is held. */
export interface Chip {
  readonly key: string;
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly lift: Control | undefined;
}

export class ControlElement extends HTMLElement {
  private app: App | undefined;
  private toggle: HTMLButtonElement | undefined;
  private chips: Keyed<Chip, HTMLLIElement> | undefined;
  private readonly warned = new Set<string>();
  private now = 0;

  /** toggle opens the commands; undefined on a viewer's page, which has none. */
  connect(app: App, toggle: HTMLButtonElement | undefined): void {
    this.app = app;
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
    for (const form of this.querySelectorAll("form")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        void this.submit(form);
      });
    }
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
    const paused = this.standing().some((row) => row.command === "pause" && row.controller === this.which());
    void this.run({ command: paused ? "resume" : "pause" });
  }

  step(by: "phase" | "reconcile"): void {
    if (this.isOpen()) void this.run({ command: "step", by });
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    this.now = app.recording === undefined ? app.watch.hubNow() : app.playhead.now();
    const able = app.model.lanes(this.now).filter((lane) => lane.controller.control === true);
    if (this.toggle !== undefined) {
      show(this.toggle, able.length > 0);
      if (able.length === 0) this.open(false);
      this.fillWhich(able.map((lane) => lane.name));
    }
    const chips = chipsOf(app.model.holdsAt("", this.now), this.standing());
    show(this, this.isOpen() || chips.length > 0);
    this.chips?.paint(chips);
    for (const chip of chips) this.warn(chip);
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
    if (wanted) show(this, true);
    if (wanted) this.querySelector<HTMLElement>("button[data-command]")?.focus();
    this.app?.wake();
  }

  private which(): string {
    return part<HTMLSelectElement>(this, "which").value;
  }

  private fillWhich(names: readonly string[]): void {
    const select = part<HTMLSelectElement>(this, "which");
    if ([...select.options].map((option) => option.value).join() === names.join()) return;
    const before = select.value;
    select.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    if (names.includes(before)) select.value = before;
  }

  private fill(li: HTMLLIElement, chip: Chip): void {
    const { text, until, lift } = chip;
    const left = until > 0 ? ` · ends in ${countdown(Math.max(0, until - this.now))}` : "";
    say(part(li, "text"), `${text}${left}`);
    li.classList.toggle("is-ending", warningOf(chip, this.now) !== "");
    const button = part<HTMLButtonElement>(li, "lift");
    show(button, lift !== undefined && this.toggle !== undefined);
    if (lift === undefined) return;
    attr(button, "aria-label", `Lift: ${text}`);
    button.onclick = () => void this.run({ command: "lift", controller: lift.controller, id: lift.key });
  }

  private warn(chip: Chip): void {
    const said = warningOf(chip, this.now);
    if (this.toggle === undefined || said === "" || this.warned.has(chip.key)) return;
    this.warned.add(chip.key);
    this.answer(said, true);
  }

  private async press({ dataset }: HTMLButtonElement): Promise<void> {
    const by = dataset["by"];
    await this.run({ command: dataset["command"] ?? "", ...(by === undefined ? {} : { by }) });
  }

  private async submit(form: HTMLFormElement): Promise<void> {
    const fields: Record<string, string | number> = { command: form.dataset["command"] ?? "" };
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      field.removeAttribute("aria-invalid");
      const { value } = field;
      if (value.trim() !== "") fields[field.name] = field.name === "factor" ? Number(value) : value.trim();
    }
    const { delay, seconds } = form.querySelector<HTMLSelectElement>("[name=fault]")?.selectedOptions[0]?.dataset ?? {};
    if (delay !== undefined && delay !== "") fields["delay_ms"] = Number(delay);
    if (seconds !== undefined && seconds !== "") fields["seconds"] = Number(seconds);
    const wrong = await this.run(fields);
    // The hub's error begins with the name of the field that is wrong.
    const field = form.querySelector<HTMLElement>(`[name="${/^\w+/.exec(wrong)?.[0] ?? ""}"]`);
    field?.setAttribute("aria-invalid", "true");
    field?.focus();
  }

  /** Gives a command; answers what is wrong with it, "" where nothing is. */
  private async run(fields: Fields): Promise<string> {
    const body = JSON.stringify({ controller: this.which(), ...fields });
    const headers = { "Content-Type": "application/json" };
    try {
      const late = (said: string): void => {
        this.answer(said, true);
      };
      const response = await patient(fetch("/api/v1/control", { method: "POST", headers, body }), late);
      if (response === undefined) return "";
      const json = (await response.json().catch(() => ({}))) as { readonly text?: string; readonly error?: string };
      const text = json.error ?? json.text ?? `The hub answered ${String(response.status)}.`;
      this.answer(text, !response.ok);
      return response.ok ? "" : text;
    } catch {
      this.answer("The hub cannot be reached. Wait until the page is connected again.", true);
      return "";
    }
  }

  private answer(text: string, bad: boolean): void {
    const said = part(this, "said");
    said.classList.toggle("is-error", bad);
    say(said, text);
  }
}

function chipElement(): HTMLLIElement {
  const lift = h("button", { class: "button small", type: "button", "data-part": "lift" }, "Lift");
  return h("li", { class: "stand" }, h("span", { "data-part": "text" }), lift);
}

/** chipsOf has one chip for each command, and for each worker that is held by none of them; a pause tells what it holds. */
export function chipsOf(holds: readonly Hold[], controls: readonly Control[]): readonly Chip[] {
  const told = new Set<Hold>();
  const chips = controls.map((row): Chip => {
    const own = row.command === "pause" ? holds.filter((hold) => holdsIt(row, hold)) : [];
    for (const hold of own) told.add(hold);
    const text = own.length > 0 ? heldText(own) : row.text;
    return { key: row.key, text, from: row.from, until: row.until ?? 0, lift: row };
  });
  const others = holds.filter((hold) => !told.has(hold));
  return [
    ...others.map((hold): Chip => {
      const { key, from, until = 0 } = hold;
      return { key: `hold ${key}`, text: heldText([hold]), from, until, lift: undefined };
    }),
    ...chips,
  ];
}

function holdsIt({ controller, item = "", phase = "" }: Control, hold: Hold): boolean {
  return (
    controller === hold.controller && (item === "" || item === hold.item) && (phase === "" || phase === hold.phase)
  );
}

function heldText(holds: readonly Hold[]): string {
  const who = [
    ...new Set(holds.map(({ controller, item = "" }) => (item === "" ? `a worker of ${controller}` : nameOf(item)))),
  ];
  const phases = [...new Set(holds.map(({ phase }) => phase))];
  const names = who.length > 3 ? `${who.slice(0, 2).join(", ")} and ${String(who.length - 2)} others` : who.join(", ");
  return `${names} ${who.length > 1 ? "are" : "is"} held before ${phases.join(", ")}`;
}

/** warningOf says that what has stood for long ends soon, "" as long as there is nothing to say. */
export function warningOf({ text, from, until }: Pick<Chip, "text" | "from" | "until">, now: number): string {
  const left = until - now;
  if (until === 0 || left <= 0 || left > warnBefore || until - from <= warnBefore) return "";
  return `Ends by itself in ${countdown(left)}: ${text}. Give the command again to go on.`;
}
