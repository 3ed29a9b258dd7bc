/** The search: a field that completes, the terms that are on as chips, and how much matches. */
import { count } from "../base/time.ts";
import type { Completion, Option } from "../model/complete.ts";
import { fields } from "../model/fields.ts";
import { Filter, filterOf } from "../model/filter.ts";
import { having, quoted } from "../model/query.ts";
import type { QueryError, Term } from "../model/query.ts";
import type { App } from "./app.ts";
import { attr, h, part, say, show } from "./dom.ts";
import type { Later } from "./later.ts";
import { matchSaid } from "./words.ts";

/** The parts of the page outside of the field that the search fills. */
export interface SearchPlaces {
  /** The row above the map with the terms that are on. */
  readonly terms: HTMLElement;
  /** Where it is said aloud how much matches. */
  readonly voice: Element;
  /** Where the focus goes once there are no terms. */
  readonly map: HTMLElement;
  /** Shows the reconciles that match; answers where the focus goes for them. */
  readonly list: () => HTMLElement | null;
  /** The script with what is offered. */
  readonly later: Later;
}

/** So many of the newest reconciles are counted for what completion offers. */
const counted = 10_000;

const nothing: Completion = { from: 0, to: 0, options: [] };

export class SearchElement extends HTMLElement {
  private app: App | undefined;
  private places: SearchPlaces | undefined;
  private offered = nothing;
  /** The option that Enter takes, -1 for none. */
  private active = -1;
  /** Where the focus was before. */
  private cameFrom: Element | null = null;

  connect(app: App, places: SearchPlaces): void {
    this.app = app;
    this.places = places;
    this.hidden = false;
    const { input } = this;
    input.addEventListener("input", () => {
      this.typed();
    });
    input.addEventListener("focus", () => {
      this.offer();
    });
    input.addEventListener("blur", () => {
      this.close();
      this.apply();
    });
    input.addEventListener("scroll", () => {
      part(this, "under").scrollLeft = input.scrollLeft;
    });
    input.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
    part(this, "list").addEventListener("pointerdown", (event) => {
      // The field keeps the focus.
      event.preventDefault();
      const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (option !== null) this.take([...part(this, "list").children].indexOf(option));
    });
    this.connectTerms(app, places);
    document.addEventListener("click", ({ target }) => {
      const errors = target instanceof Element ? target.closest('[data-part="errors-go"]') : null;
      if (errors !== null) this.toggleErrors(app, errors.closest<HTMLElement>("[data-lane]")?.dataset["lane"] ?? "");
    });
    app.filter.subscribe(() => {
      this.filtered(app);
    });
  }

  /** Puts the cursor into the field. */
  enter(): void {
    this.cameFrom = document.activeElement;
    this.input.focus();
    this.input.select();
  }

  /** Searches for a text that comes from elsewhere; what is wrong with it is said as if it had been typed. */
  seek(text: string): void {
    this.input.value = text;
    this.apply();
  }

  /** Shows only what failed, of that controller where there are others, and the next time everything again. */
  private toggleErrors(app: App, lane: string): void {
    const many = app.model.lanes(app.playhead.now()).length > 1;
    const text = `${many ? `controller:${quoted(lane)} ` : ""}result:error`;
    const off = app.filter.get().text === text;
    this.seek(off ? "" : text);
    if (!off) this.places?.list();
  }

  paint(): void {
    const { app, places } = this;
    if (app?.filter.get().on === true && places !== undefined) say(part(places.terms, "count"), countSaid(app));
  }

  private get input(): HTMLInputElement {
    return part<HTMLInputElement>(this, "query");
  }

  private connectTerms(app: App, { terms, map }: SearchPlaces): void {
    part(terms, "clear").addEventListener("click", () => {
      this.seek("");
      map.focus({ preventScroll: true });
    });
    terms.addEventListener("click", ({ target }) => {
      const gone = target instanceof Element ? target.closest<HTMLElement>(".term")?.dataset["term"] : undefined;
      if (gone === undefined) return;
      const kept = app.filter.get().query.filter(({ text }) => text !== gone);
      this.seek(kept.map(({ text }) => text).join(" "));
      (terms.querySelector<HTMLElement>(".term") ?? map).focus({ preventScroll: true });
    });
  }

  /** While a term is being typed it is not called wrong. */
  private typed(): void {
    const made = filterOf(this.input.value);
    const caret = this.input.selectionStart ?? 0;
    const away = !(made instanceof Filter) && (caret < made.at - 1 || caret > made.at + made.length + 1);
    this.mark(away && !(made instanceof Filter) ? made : undefined);
    if (this.input.value.trim() === "") this.apply();
    this.offer();
  }

  /** What is typed is searched for; with an error in it, what was searched for before stays. */
  private apply(): void {
    const made = filterOf(this.input.value);
    this.mark(made instanceof Filter ? undefined : made);
    if (made instanceof Filter && made.text !== this.app?.filter.get().text) this.app?.filter.set(made);
  }

  /** Underlines what is wrong and says it. */
  private mark(error: QueryError | undefined): void {
    const { input } = this;
    const under = part(this, "under");
    show(part(this, "error"), error !== undefined);
    say(part(this, "error"), error?.error ?? "");
    attr(input, "aria-invalid", String(error !== undefined));
    under.replaceChildren();
    if (error === undefined) return;
    const from = error.at - 1;
    // Behind the last letter there is nothing to underline but a place.
    const wrong = input.value.slice(from, from + error.length).padEnd(1, "\u00a0");
    under.append(input.value.slice(0, from), h("mark", {}, wrong), input.value.slice(from + error.length));
    under.scrollLeft = input.scrollLeft;
  }

  private offer(): void {
    const { app, input } = this;
    const later = this.places?.later;
    if (app === undefined || later === undefined || document.activeElement !== input) return;
    if (later.panels === undefined)
      return void later.get().then((panels) => {
        if (panels !== undefined) this.offer();
      });
    const rows = app.model.recent("", counted);
    this.offered = later.panels.complete(input.value, input.selectionStart ?? 0, rows, { fields, having, quoted });
    const list = part(this, "list");
    list.replaceChildren(...this.offered.options.map(optionRow));
    this.choose(-1);
    const open = this.offered.options.length > 0;
    show(list, open);
    attr(input, "aria-expanded", String(open));
  }

  private close(): void {
    this.offered = nothing;
    this.choose(-1);
    show(part(this, "list"), false);
    attr(this.input, "aria-expanded", "false");
  }

  private choose(index: number): void {
    this.active = index;
    for (const [i, option] of [...part(this, "list").children].entries()) {
      attr(option, "aria-selected", String(i === index));
      if (i === index) option.scrollIntoView({ block: "nearest" });
    }
    if (index < 0) this.input.removeAttribute("aria-activedescendant");
    else attr(this.input, "aria-activedescendant", optionID(index));
  }

  private take(index: number): void {
    const option = this.offered.options[index];
    if (option === undefined) return;
    const { input } = this;
    const { from, to } = this.offered;
    const caret = from + option.text.length;
    input.value = input.value.slice(0, from) + option.text + input.value.slice(to).trimStart();
    input.setSelectionRange(caret, caret);
    if (option.count < 0) return this.typed();
    this.close();
    this.apply();
    this.places?.list();
  }

  /** Answers whether the key was one of the field's own. */
  private key({ key, shiftKey }: KeyboardEvent): boolean {
    const { options } = this.offered;
    const n = options.length;
    switch (key) {
      case "ArrowDown":
      case "ArrowUp":
        if (n === 0) this.offer();
        // One step before the first and behind the last there is no option, only what was typed.
        else this.choose(((this.active + 1 + (key === "ArrowDown" ? 1 : n) + n + 1) % (n + 1)) - 1);
        return true;
      case "Enter":
        if (this.active >= 0) this.take(this.active);
        else {
          this.close();
          this.apply();
          // The keys are the page's again; what is wrong is mended first.
          if (part(this, "error").hidden) this.leave(this.app?.filter.get().on);
        }
        return true;
      case "Tab":
        if (shiftKey || n === 0) return false;
        if (this.active < 0 && (this.offered.from === this.offered.to || options[0]?.loose === true)) return false;
        this.take(Math.max(0, this.active));
        return true;
      case "Escape":
        this.escape(n > 0);
        return true;
      default:
        return false;
    }
  }

  /** Closes the list, then empties the field, then leaves it. */
  private escape(open: boolean): void {
    const { input } = this;
    if (open) return this.close();
    if (input.value !== "") return this.seek("");
    this.leave();
  }

  /** Goes to what was found, or back to where one came from. */
  private leave(found = false): void {
    this.input.blur();
    const to = found ? this.places?.list() : this.cameFrom;
    if (to instanceof HTMLElement) to.focus({ preventScroll: true });
    this.cameFrom = null;
  }

  private filtered(app: App): void {
    const { text, on, query } = app.filter.get();
    if (document.activeElement !== this.input && this.input.value.trim() !== text) {
      this.input.value = text;
      this.mark(undefined);
    }
    if (this.places === undefined) return;
    const { terms, voice } = this.places;
    show(terms, on);
    part(terms, "chips").replaceChildren(...query.map(chip));
    this.paint();
    say(voice, on ? countSaid(app) : "All reconciles are shown");
  }
}

/** A term with what takes it away. */
function chip({ text }: Term): HTMLElement {
  const attrs = { class: "term", type: "button", "data-term": text, "aria-label": `Remove ${text}` };
  return h("li", {}, h("button", attrs, h("span", {}, text), "×"));
}

function countSaid(app: App): string {
  const { model } = app;
  const n = app.filter.get().count(model);
  return matchSaid(n, model.size);
}

function optionID(index: number): string {
  return `search-option-${String(index)}`;
}

function optionRow({ label, about, count: n }: Option, index: number): HTMLElement {
  const more = h("span", { class: "option-more" }, n < 0 ? about : count(n));
  return h("li", { class: "option", role: "option", id: optionID(index) }, h("span", {}, label), more);
}
