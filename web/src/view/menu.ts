/** The menu of what concerns the looks: theme, pictures, embedding. */
import type { App } from "./app.ts";
import type { LaneElement } from "./lane.ts";

/** What the menu needs of the page. */
export interface MenuPlace {
  readonly menu: HTMLDetailsElement;
  readonly lanes: () => readonly LaneElement[];
  readonly tell: (text: string) => void;
  /** Copies a frame for another site. */
  readonly embed: () => void;
}

/** connectMenu wires the menu; what it returns saves the picture as the key does. */
export function connectMenu(
  app: App,
  { menu, lanes, tell, embed: copyFrame }: MenuPlace,
): (kind: "svg" | "png") => void {
  menu.hidden = false;
  // What was chosen is gone with the menu: the focus goes to what opens it.
  const leave = (): void => {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  };
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    leave();
  });
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    if (!menu.contains(target)) menu.open = false;
    if (target.closest("a[download]") !== null) tell("Saving this session: see your browser's downloads");
  });
  const save = (kind: "svg" | "png"): void => {
    void import("/static/picture.js")
      .then(({ savePicture }) => savePicture(app, lanes(), kind))
      .then(
        (name) => `Saved ${name}`,
        (problem: unknown) => `The picture could not be saved: ${String(problem)}`,
      )
      .then(tell);
  };
  menu.addEventListener("click", ({ target }) => {
    const chosen = target instanceof Element ? target.closest("button") : null;
    if (chosen === null) return;
    leave();
    const { save: kind, embed } = chosen.dataset;
    if (kind === "svg" || kind === "png") save(kind);
    if (embed !== undefined) copyFrame();
  });
  return save;
}
