/** The keys, and the list of them under ?, where each can be switched off (WCAG 2.1.4). */
import { recall, remember } from "./memory.ts";

/** What the keys do, by the name that the list of keys has for them. */
export interface KeyActions {
  readonly pause: () => void;
  readonly phase: (direction: 1 | -1) => void;
  readonly reconcile: (direction: 1 | -1) => void;
  readonly oldest: () => void;
  readonly live: () => void;
  readonly speed: (direction: 1 | -1) => void;
  readonly frame: () => void;
  readonly zoom: (direction: 1 | -1) => void;
  readonly search: () => void;
  readonly error: (direction: 1 | -1) => void;
  readonly link: () => void;
  readonly projector: () => void;
  readonly save: () => void;
  readonly clear: () => void;
  /** One beat of the lesson on or back. */
  readonly lesson: (direction: 1 | -1) => void;
  /** Opens the commands to the controller, then pauses and resumes it. */
  readonly control: () => void;
  readonly step: (by: "phase" | "reconcile") => void;
}

type Name = keyof KeyActions | "ends" | "list";

/** A key's name in the list, and what it does. */
type Bound = readonly [Name, () => void];

const stored = "tracer-keys-off";

/** listenKeys wires the keys and the list's dialog. */
export function listenKeys(dialog: HTMLDialogElement, open: HTMLButtonElement, actions: KeyActions): void {
  const list = (): void => {
    if (!dialog.open) dialog.showModal();
  };
  open.hidden = false;
  open.addEventListener("click", list);
  const off = switches(dialog);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || within(event.target, typing))
      return;
    // A dialog has keys of its own: Escape closes it.
    if (document.querySelector("dialog[open]") !== null) return;
    const [name, run] = bound(event, actions, list) ?? [];
    if (name === undefined || run === undefined || off(name)) return;
    event.preventDefault();
    run();
  });
}

/** Wires the check boxes, one for each key and one for all; answers which keys are switched off. */
function switches(dialog: HTMLDialogElement): (name: string) => boolean {
  const boxes = [...dialog.querySelectorAll<HTMLInputElement>("[data-key]")];
  const all = dialog.querySelector<HTMLInputElement>("#keys-on");
  const off = new Set(recall(stored).split(","));
  for (const box of boxes) box.checked = !off.has(box.dataset["key"] ?? "");
  const changed = (): void => {
    off.clear();
    for (const box of boxes) if (!box.checked) off.add(box.dataset["key"] ?? "");
    remember(stored, [...off].join());
    sum();
  };
  const sum = (): void => {
    if (all === null) return;
    const on = boxes.filter((box) => box.checked).length;
    all.checked = on > 0;
    all.indeterminate = on > 0 && on < boxes.length;
  };
  sum();
  dialog.addEventListener("change", ({ target }) => {
    if (target === all && all !== null) for (const box of boxes) box.checked = all.checked;
    changed();
  });
  return (name) => off.has(name);
}

function bound(event: KeyboardEvent, actions: KeyActions, list: () => void): Bound | undefined {
  const { key, shiftKey } = event;
  const to = (name: "phase" | "reconcile" | "speed" | "zoom" | "error" | "lesson", direction: 1 | -1): Bound => [
    name,
    () => {
      actions[name](direction);
    },
  ];
  // On a button, Space presses the button.
  if (key === " ") return within(event.target, pressable) ? undefined : ["pause", actions.pause];
  const step = shiftKey ? "reconcile" : "phase";
  const keys: Readonly<Record<string, Bound>> = {
    ".": ["pause", actions.pause],
    arrowleft: to(step, -1),
    arrowright: to(step, 1),
    home: ["ends", actions.oldest],
    end: ["ends", actions.live],
    "[": to("speed", -1),
    "]": to("speed", 1),
    f: ["frame", actions.frame],
    "+": to("zoom", 1),
    "=": to("zoom", 1),
    "-": to("zoom", -1),
    "/": ["search", actions.search],
    n: to("error", shiftKey ? -1 : 1),
    c: ["link", actions.link],
    s: ["save", actions.save],
    // Without a lesson they scroll.
    ...(document.querySelector("#lesson:not([hidden])") !== null && {
      pagedown: to("lesson", 1),
      pageup: to("lesson", -1),
    }),
    k: ["control", actions.control],
    j: [
      "step",
      () => {
        actions.step(step);
      },
    ],
    p: ["projector", actions.projector],
    escape: ["clear", actions.clear],
    "?": ["list", list],
  };
  return keys[key.toLowerCase()];
}

/** What is typed into has the keys. */
const typing = "input:not([type=checkbox]), textarea, select";
const pressable = "button, a, summary, [role=button], input";

function within(target: EventTarget | null, such: string): boolean {
  return target instanceof Element && target.closest(such) !== null;
}
