/** The one scheduler: animation frames while something moves, panels at most ten times a second, nothing otherwise. */

const panelEvery = 100;
/**
 * After so many ms of a frame no further step of the panels is begun in it: those that are left are painted in the frames
 * after. So many ms they have in any case, however long the picture took.
 */
const room = 2.5;
const least = 0.5;

export interface Steps {
  /** Takes in what came and draws the picture; answers when it must be called again: 0 next frame, Infinity never, else ms. */
  readonly draw: () => number;
  /** Paints the panels, a part of them with each step of the iterator. */
  readonly panels: () => Iterator<void>;
}

export class Frames {
  private asked = false;
  private timer: number | undefined;
  private panelsAt = -Infinity;
  private panelsDirty = true;
  /** What is left of painting the panels. */
  private painting: Iterator<void> | undefined;
  private readonly steps: Steps;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Asks for a frame with the panels; many calls make one frame. */
  wake(): void {
    this.panelsDirty = true;
    this.ask();
  }

  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.timer = undefined;
    requestAnimationFrame((now) => {
      this.asked = false;
      this.frame(now);
    });
  }

  private frame(now: number): void {
    const end = performance.now() + room;
    let wait = this.steps.draw();
    if (this.painting === undefined && this.panelsDirty && now - this.panelsAt >= panelEvery) {
      this.panelsDirty = false;
      this.panelsAt = now;
      this.painting = this.steps.panels();
    }
    this.paint(Math.max(end, performance.now() + least));
    if (this.painting !== undefined) wait = 0;
    else if (this.panelsDirty) wait = Math.min(wait, panelEvery);
    this.again(wait);
  }

  /** Paints one step at least, and more until end. */
  private paint(end: number): void {
    while (this.painting !== undefined) {
      if (this.painting.next().done === true) this.painting = undefined;
      else if (performance.now() >= end) return;
    }
  }

  private again(wait: number): void {
    if (wait <= 0) return this.ask();
    // Once a second in any case: countdowns and "for 42 s" are text that grows old by itself.
    this.timer = window.setTimeout(
      () => {
        this.wake();
      },
      Math.min(wait, 1000),
    );
  }
}
