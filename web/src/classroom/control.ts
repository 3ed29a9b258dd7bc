/** The strip about the real controllers: what stands for them, and for the presenter the commands. Not the picture's time. */
import type { Control, Hold } from "../base/rows.gen.ts";
import { SECOND, countdown } from "../base/time.ts";
import type { App } from "../view/app.ts";
import { Keyed, attr, h, part, say, show } from "../view/dom.ts";
import { nameOf } from "../view/words.ts";
import { ask } from "./ask.ts";

/** How long before its end it is said that a command ends by itself. */
const warnBefore = 60 * SECOND;

type Fields = Readonly<Record<string, string | number>>;

/** One line of what stands: a command, or a worker that is held. */
interface Chip {
  readonly key: string;
  readonly text: string;
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
    this.now = app.watch.hubNow();
    const able = app.model.lanes(this.now).filter((lane) => lane.controller.control === true);
    if (this.toggle !== undefined) {
      show(this.toggle, able.length > 0);
      if (able.length === 0) this.open(false);
      this.fillWhich(able.map((lane) => lane.name));
    }
    const chips = [...app.model.holdsAt("", this.now).map(heldChip), ...this.standing().map(commandChip)];
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

  private fill(li: HTMLLIElement, { text, until, lift }: Chip): void {
    const left = until > 0 ? ` · ends in ${countdown(Math.max(0, until - this.now))}` : "";
    say(part(li, "text"), `${text}${left}`);
    li.classList.toggle("is-ending", until > 0 && until - this.now < warnBefore);
    const button = part<HTMLButtonElement>(li, "lift");
    show(button, lift !== undefined && this.toggle !== undefined);
    if (lift === undefined) return;
    attr(button, "aria-label", `Lift: ${text}`);
    button.onclick = () => void this.run({ command: "lift", controller: lift.controller, id: lift.key });
  }

  private warn({ key, text, until }: Chip): void {
    if (this.toggle === undefined || until === 0 || until - this.now > warnBefore || this.warned.has(key)) return;
    this.warned.add(key);
    this.answer(`Ends by itself in a minute: ${text}. Give the command again to go on.`, true);
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
    const { text = "", note = "", refused } = await ask("control", { controller: this.which(), ...fields });
    this.answer(refused === "" ? [text, note].filter((said) => said !== "").join(". ") : refused, refused !== "");
    return refused;
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

function commandChip(row: Control): Chip {
  return { key: row.key, text: row.text, until: row.until ?? 0, lift: row };
}

function heldChip({ key, controller, item, phase, until }: Hold): Chip {
  const who = item === undefined || item === "" ? `a worker of ${controller}` : nameOf(item);
  return { key: `hold ${key}`, text: `${who} is held before ${phase}`, until: until ?? 0, lift: undefined };
}
