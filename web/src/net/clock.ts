/** How long (ms) a stamp is believed: clocks drift and are set. */
const KEPT = 60_000;

/**
 * HubClock tells the hub's time from the stamps on its frames. A stamp is late by the time that it travelled, so the
 * largest difference of hub to wall time of the last minute is nearest to the truth.
 */
export class HubClock {
  /** Candidates for the largest, newest last; an older and smaller one can never be it again. */
  private offsets: { readonly wall: number; readonly offset: number }[] = [];

  /** Takes in a frame's now (µs) that came at wall (ms since the epoch). */
  heard(hub: number, wall: number): void {
    const offset = hub - wall * 1000;
    this.offsets = this.offsets.filter((o) => o.offset > offset && Math.abs(wall - o.wall) < KEPT);
    this.offsets.push({ wall, offset });
  }

  /** The hub's time (µs) at wall (ms); wall time itself until a frame has been heard. */
  now(wall: number): number {
    return Math.round(wall * 1000 + (this.offsets[0]?.offset ?? 0));
  }
}
