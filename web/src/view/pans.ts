/** What pointers and wheels do on the line of time: press and drag on the bars, drag the times below, pinch, wheel. */

/** All x are those of the page, in CSS pixels; a height y is one in the line. */
export interface Pans {
  /** Whether a height is of the times below the bars. */
  readonly isAxis: (y: number) => boolean;
  /** On the times, that is a press from which no drag came. */
  readonly press: (x: number, y: number) => void;
  /** A pointer that is not down moves. */
  readonly hover: (x: number, y: number) => void;
  readonly drag: (x: number) => void;
  readonly dragged: () => void;
  readonly pan: (px: number) => void;
  readonly zoom: (factor: number, x: number) => void;
}

/** How many pixels a pointer moves before it is a drag and no press. */
const dragAfter = 3;

/** pans listens on the line. */
export function pans(line: HTMLElement, on: Pans): void {
  /** Where each pointer that is down is. */
  const down = new Map<number, number>();
  let begun = 0;
  let does: "seek" | "pan" | "pinch" = "seek";
  let dragged = false;
  const height = (event: PointerEvent): number => event.clientY - line.getBoundingClientRect().top;
  line.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    // The focus stays where it is, so that the arrow keys go on stepping by phase.
    event.preventDefault();
    line.setPointerCapture(event.pointerId);
    down.set(event.pointerId, event.clientX);
    begun = event.clientX;
    dragged = false;
    if (down.size > 1) does = "pinch";
    else if (on.isAxis(height(event))) does = "pan";
    else {
      does = "seek";
      on.press(event.clientX, height(event));
    }
  });
  line.addEventListener("pointermove", (event) => {
    const { clientX: x } = event;
    const was = down.get(event.pointerId);
    if (was === undefined) {
      on.hover(x, height(event));
      return;
    }
    down.set(event.pointerId, x);
    dragged ||= Math.abs(x - begun) >= dragAfter;
    if (does === "pan") on.pan(x - was);
    else if (does === "pinch") pinch(was, x, event.pointerId);
    else if (dragged) on.drag(x);
  });
  const pinch = (was: number, now: number, id: number): void => {
    const other = [...down].find(([one]) => one !== id)?.[1];
    if (other !== undefined)
      on.zoom(Math.max(24, Math.abs(was - other)) / Math.max(24, Math.abs(now - other)), (now + other) / 2);
  };
  const up = (event: PointerEvent): void => {
    const was = down.delete(event.pointerId);
    if (was && does === "seek" && dragged) on.dragged();
    if (was && does === "pan" && !dragged && event.type === "pointerup") on.press(event.clientX, height(event));
    if (does === "seek") dragged = false;
  };
  line.addEventListener("pointerup", up);
  line.addEventListener("pointercancel", up);
  line.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const across = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (across) on.pan(-(event.deltaX || event.deltaY));
      // A pinch on a touchpad comes as a wheel with Ctrl, in smaller steps.
      else on.zoom(Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), event.clientX);
    },
    { passive: false },
  );
}
