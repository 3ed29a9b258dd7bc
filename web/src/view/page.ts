/** Connects the components that the templates have put into the page, and adds lanes for controllers that appear. */
import type { Control } from "../base/rows.gen.ts";
import type { Scene } from "../scene/types.ts";
import type { App } from "./app.ts";
import { ClassroomLoader } from "./classroom.ts";
import { markCut } from "./cut.ts";
import { copied, the } from "./dom.ts";
import { History } from "./history.ts";
import { listenKeys } from "./keys.ts";
import { LaneElement } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { Links, linkHere } from "./link.ts";
import type { Tell } from "./link.ts";
import { connectMenu } from "./menu.ts";
import { NoticeElement } from "./notice.ts";
import { PanelElement } from "./panel.ts";
import type { Scrubber } from "./scrubber.ts";
import { SearchElement } from "./search.ts";
import { StatusElement } from "./status.ts";
import { selectAt, stepper } from "./steps.ts";
import type { Stepper } from "./steps.ts";
import { ThemeElement } from "./theme.ts";
import { TransportElement } from "./transport.ts";
import { TwinElement } from "./twin.ts";

/** What main calls: step and draw on every frame, paint at most ten times a second. One part is painted with each step. */
export interface PageParts {
  step(): void;
  draw(scene: Scene): void;
  paint(): Iterator<void>;
}

/** defineElements registers the custom elements; those that stand in the page are upgraded by it. */
export function defineElements(): void {
  const elements: Readonly<Record<string, CustomElementConstructor>> = {
    "tracer-lane": LaneElement,
    "tracer-notice": NoticeElement,
    "tracer-panel": PanelElement,
    "tracer-search": SearchElement,
    "tracer-status": StatusElement,
    "tracer-theme": ThemeElement,
    "tracer-transport": TransportElement,
    "tracer-twin": TwinElement,
  };
  for (const [name, element] of Object.entries(elements)) customElements.define(name, element);
}

/** buildPage connects everything. It throws when the page lacks a part: script and templates do not belong together. */
export function buildPage(app: App, page: string): PageParts {
  const lanes = new Lanes(app, {
    root: the("map", HTMLElement),
    empty: the("empty", HTMLElement),
    template: the("lane-template", HTMLTemplateElement),
  });
  const notice = the("notice", NoticeElement);
  const panel = the("details", PanelElement);
  const status = the("status", StatusElement);
  const transport = the("transport", TransportElement);
  const twin = the("twin", TwinElement);
  const go = (reconcile: string, write: string): void => {
    panel.go(reconcile, write, true);
  };
  const step = stepper(app, go, notice);
  const line = transport.connect(app, step);
  for (const part of [panel, status, twin]) part.connect(app);
  const relaid = connectLooks(app, lanes);
  connectCopies();
  for (const box of document.querySelectorAll("[data-cut]")) markCut(box);
  const voice = panel.later.voice(app, the("voice", HTMLElement));
  const search = the("search", SearchElement);
  search.connect(app, {
    terms: the("terms", HTMLElement),
    voice: the("voice", HTMLElement),
    map: the("map", HTMLElement),
    list: () => panel.list(),
    later: panel.later,
  });
  const seek = (text: string): void => {
    search.seek(text);
  };
  const tell: Tell = (text, button, press) => {
    notice.tell(text, button, press);
  };
  const reveal = (controller: string): void => {
    lanes.reveal(controller);
  };
  const loader = new ClassroomLoader({ app, page, seek, reveal, tell, go, relaid });
  const tryIt = (): void => {
    loader.use((classroom) => {
      classroom.tryIt();
    });
  };
  const lift = (command: Control): void => {
    loader.use((classroom) => {
      classroom.lift(command);
    });
  };
  const has = (id: string): boolean => document.getElementById(id) !== null;
  notice.connect(app, has("tryit-toggle") ? tryIt : undefined, has("control-toggle") ? lift : undefined);
  const save = connectMenu(app, {
    menu: the("menu", HTMLDetailsElement),
    lanes: () => lanes.seen(),
    tell,
    embed: () => {
      loader.use((classroom) => void classroom.embed().then(tell));
    },
  });
  const history = new History(app);
  connectKeys(app, { notice, loader, line, save, history, step });
  const links = new Links(app, history, tell, seek);
  const parts = [history, links, loader, lanes, notice, panel, search, status, transport, twin, voice];
  return {
    step: () => {
      loader.step();
    },
    draw: (scene) => {
      lanes.draw(scene);
    },
    *paint() {
      for (const part of parts) {
        // Until the hub has spoken, the panel shows what the hub has rendered into it.
        if (part !== panel) part.paint();
        else if (app.model.version > 0) yield* panel.steps();
        yield;
      }
    },
  };
}

/** Measures all anew when its letters or the window change; so does whoever calls what is given back. */
function connectLooks(app: App, lanes: Lanes): () => void {
  const changed = (): void => {
    lanes.measure();
    app.looks.set(app.looks.get() + 1);
  };
  the("theme", ThemeElement).connect(changed);
  void document.fonts.ready.then(changed);
  addEventListener("resize", changed);
  return changed;
}

/** What the keys reach. */
interface Keyed {
  readonly notice: NoticeElement;
  readonly loader: ClassroomLoader;
  readonly line: Scrubber;
  readonly save: (kind: "svg") => void;
  readonly history: History;
  readonly step: Stepper;
}

function connectKeys(app: App, { notice, loader, line, save, history, step }: Keyed): void {
  const theme = the("theme", ThemeElement);
  listenKeys(the("keys", HTMLDialogElement), the("keys-open", HTMLButtonElement), {
    pause: () => {
      app.playhead.toggle();
    },
    phase: step.phase,
    reconcile: step.reconcile,
    oldest: () => {
      const oldest = (): void => {
        // Stepping goes on from there, not from a reconcile that was selected later.
        app.selection.set(undefined);
        app.playhead.seek(app.model.span()?.from ?? app.playhead.now());
        selectAt(app, app.playhead.now());
        notice.hush();
      };
      if (history.need(oldest)) notice.tell("Asking the hub for all that it keeps …");
    },
    live: () => {
      line.live();
    },
    speed: (direction) => {
      app.playhead.change(direction);
    },
    frame: () => {
      if (!line.frame()) notice.tell("Nothing is selected that could fill the line of time");
    },
    zoom: (direction) => {
      line.zoom(direction);
    },
    search: () => {
      the("search", SearchElement).enter();
    },
    error: (direction) => {
      const match = app.filter.get().on ? " that matches" : "";
      const back = direction > 0;
      if (step.error(direction)) notice.hush();
      else
        notice.tell(
          `No ${back ? "later" : "earlier"} error or refused write${match}. ${back ? "Shift+N" : "N"} looks the other way`,
        );
    },
    link: () => {
      const link = linkHere(app);
      void copied(link).then((ok) => {
        notice.tell(ok ? "Copied a link to this moment" : link);
      });
    },
    save: () => {
      save("svg");
    },
    projector: () => {
      theme.toggleProjector();
    },
    lesson: (direction) => {
      loader.classroom?.turn(direction);
    },
    control: () => {
      loader.classroom?.pauseOrResume();
    },
    step: (by) => {
      loader.classroom?.stepBy(by);
    },
    clear: () => {
      if (!line.unframe() && loader.classroom?.escape() !== true) app.selection.set(undefined);
    },
  });
}

/** The copy buttons, those that come later too. Without the clipboard the text is selected, to be copied by hand. */
function connectCopies(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) button.hidden = false;
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (button === null) return;
    const code = button.parentElement?.querySelector("code");
    void copied(button.dataset["copy"] ?? "").then((ok) => {
      if (ok) button.textContent = "Copied";
      else if (code) getSelection()?.selectAllChildren(code);
    });
  });
}
