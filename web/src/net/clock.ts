/** How many offsets are remembered: the best of them is the one that travelled fastest. */
const KEPT = 64;

/**
 * HubClock tells the hub's time from the stamps on its frames. A stamp is late by the time that it travelled, so the
 * largest difference of hub to wall time seen lately is nearest to the truth. It follows when either clock is set.
 */
export class HubClock {
  private readonly offsets: number[] = [];
  private best = 0;

  /** Takes in a frame's now (µs) that came at wall (ms since the epoch). */
  heard(hub: number, wall: number): void {
    this.offsets.push(hub - wall * 1000);
    if (this.offsets.length > KEPT) this.offsets.shift();
    this.best = Math.max(...this.offsets);
  }

  /** The hub's time (µs) at wall (ms); wall time itself until a frame has been heard. */
  now(wall: number): number {
    return Math.round(wall * 1000 + this.best);
  }
}
