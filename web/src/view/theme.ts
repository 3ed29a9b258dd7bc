/** The theme: auto, light, dark, contrast or projector; kept in the browser. */
import { recall, remember } from "./memory.ts";

const themes = ["auto", "light", "dark", "contrast", "projector"] as const;
export type Theme = (typeof themes)[number];
const stored = "tracer-theme";

export class ThemeElement extends HTMLElement {
  private changed: (() => void) | undefined;
  /** The theme before projector, for the key that goes there and back. */
  private earlier: Theme = "auto";

  /** changed is called after each change, the first included. */
  connect(changed: () => void): void {
    this.changed = changed;
    this.hidden = false;
    for (const button of this.buttons()) {
      button.addEventListener("click", () => {
        this.set(themeOf(button.dataset["themeChoice"]));
      });
    }
    for (const asked of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(asked).addEventListener("change", changed);
    }
    this.set(themeOf(recall(stored)));
  }

  set(theme: Theme): void {
    const now = themeOf(document.documentElement.dataset["theme"]);
    if (now !== "projector") this.earlier = now;
    document.documentElement.dataset["theme"] = theme;
    for (const button of this.buttons()) {
      button.setAttribute("aria-pressed", String(button.dataset["themeChoice"] === theme));
    }
    remember(stored, theme);
    this.changed?.();
  }

  toggleProjector(): void {
    const on = document.documentElement.dataset["theme"] === "projector";
    this.set(on ? this.earlier : "projector");
  }

  private buttons(): NodeListOf<HTMLButtonElement> {
    return this.querySelectorAll<HTMLButtonElement>("[data-theme-choice]");
  }
}

/** themeOf is the theme of that name, auto when there is none. */
export function themeOf(name: string | null | undefined): Theme {
  return themes.find((theme) => theme === name) ?? "auto";
}
