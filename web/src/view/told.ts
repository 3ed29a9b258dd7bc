/** How often the boxes and lines of a lane are told: setting words costs the page more than all its tokens. */
import type { Mode } from "../scene/types.ts";

/** How long what many pass is told for, ms. */
const lasts = { single: 0, merged: 50, flow: 100 } as const satisfies Record<Mode, number>;

export class Told {
  private mode: Mode = "single";
  private at = -Infinity;
  private later: ReturnType<typeof setTimeout> | undefined;

  /**
   * Whether they are told in a frame at now (ms): always where the picture does not follow, or is drawn otherwise than
   * before. Where they are not, it may be the last frame for a while: wake is called once they are to be told.
   */
  due(mode: Mode, following: boolean, now: number, wake: () => void): boolean {
    const left = this.at + lasts[mode] - now;
    if (mode === this.mode && following && left > 0) {
      this.later ??= setTimeout(wake, left);
      return false;
    }
    clearTimeout(this.later);
    this.later = undefined;
    this.mode = mode;
    this.at = now;
    return true;
  }
}
