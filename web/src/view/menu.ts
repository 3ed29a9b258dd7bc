/** The menu of what concerns the looks: theme, pictures, embedding. */
import type { App } from "./app.ts";
import { copied } from "./dom.ts";
import type { LaneElement } from "./lane.ts";

/** What the menu needs of the page. */
export interface MenuPlace {
  readonly menu: HTMLDetailsElement;
  readonly lanes: () => readonly LaneElement[];
  readonly tell: (text: string) => void;
}

/** connectMenu wires the menu; what it returns saves the picture as the key does. */
export function connectMenu(app: App, { menu, lanes, tell }: MenuPlace): (kind: "svg" | "png") => void {
  menu.hidden = false;
  const close = (): void => {
    menu.open = false;
  };
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    close();
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) close();
  });
  const save = (kind: "svg" | "png"): void => {
    import("/static/picture.js")
      .then(({ savePicture }) => savePicture(app, lanes(), kind))
      .then(
        (name) => {
          tell(`Saved ${name}`);
        },
        (problem: unknown) => {
          tell(`The picture could not be saved: ${String(problem)}`);
        },
      );
  };
  menu.addEventListener("click", ({ target }) => {
    const chosen = target instanceof Element ? target.closest("button") : null;
    if (chosen === null) return;
    close();
    const { save: kind, embed } = chosen.dataset;
    if (kind === "svg" || kind === "png") save(kind);
    if (embed !== undefined) void embedLink().then(tell);
  });
  return save;
}

/** Asks the hub for a frame to paste into another site, and answers in words. */
async function embedLink(): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/api/v1/embed", { method: "POST", headers, body: "{}" });
  const said = (await answer.json()) as { html?: string; error?: string };
  if (said.html === undefined) return said.error ?? "The hub made no link";
  return (await copied(said.html)) ? "Copied a frame for your site: it shows the map for two hours" : said.html;
}
