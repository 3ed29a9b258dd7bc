/** The keys, and the list of them under ?. Single keys can be switched off (WCAG 2.1.4). */

/** What the keys do. */
export interface KeyActions {
  readonly pause: () => void;
  readonly phase: (direction: 1 | -1) => void;
  readonly reconcile: (direction: 1 | -1) => void;
  readonly oldest: () => void;
  readonly live: () => void;
  readonly speed: (direction: 1 | -1) => void;
  readonly error: (direction: 1 | -1) => void;
  readonly link: () => void;
  readonly projector: () => void;
  readonly clear: () => void;
  /** Opens the commands to the controller, then pauses and resumes it. */
  readonly control: () => void;
  readonly step: (by: "phase" | "reconcile") => void;
}

/** listenKeys wires the keys and the list's dialog. */
export function listenKeys(dialog: HTMLDialogElement, open: HTMLButtonElement, actions: KeyActions): void {
  const list = (): void => {
    if (!dialog.open) dialog.showModal();
  };
  open.hidden = false;
  open.addEventListener("click", list);
  const single = dialog.querySelector<HTMLInputElement>("#keys-on");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (dialog.open) return;
    const run = event.key === "?" ? list : keyed(event, actions, single?.checked !== false);
    if (run === undefined) return;
    event.preventDefault();
    run();
  });
}

function keyed(event: KeyboardEvent, actions: KeyActions, single: boolean): (() => void) | undefined {
  if (event.key === "Escape") return actions.clear;
  const move = event.shiftKey ? actions.reconcile : actions.phase;
  const named: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => {
      move(-1);
    },
    ArrowRight: () => {
      move(1);
    },
    Home: actions.oldest,
    End: actions.live,
  };
  const letters: Readonly<Record<string, () => void>> = {
    ".": actions.pause,
    "[": () => {
      actions.speed(-1);
    },
    "]": () => {
      actions.speed(1);
    },
    n: () => {
      actions.error(event.shiftKey ? -1 : 1);
    },
    k: actions.control,
    j: () => {
      actions.step(event.shiftKey ? "reconcile" : "phase");
    },
    c: actions.link,
    p: actions.projector,
  };
  if (event.key === " ") return pressable(event.target) ? undefined : actions.pause;
  return named[event.key] ?? (single ? letters[event.key.toLowerCase()] : undefined);
}

function typing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

/** On a button, Space presses the button. */
function pressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a, summary, [role=button], input") !== null;
}
