/** A follower's way to what the presenter shows: what is live, or a recording. Each is a page of its own. */

/** How long one try may take, and how long after one in vain the next comes at the soonest, ms. */
const patience = 10_000;
const again = 2_000;

const name = "tracer-follows";

/** kept is what this tab remembers of how its page before stood to the presenter; see Follower. */
export function kept(): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function keep(text: string): void {
  try {
    if (kept() !== text) sessionStorage.setItem(name, text);
  } catch {
    // The next page then follows if the presenter is there.
  }
}

/** Way goes where the presenter is, once the hub has said that there is a page and a place in it. */
export class Way {
  /** The last try was in vain. */
  lost = false;
  /** The page is being left. */
  gone = false;
  private goal: string | undefined;
  private tries = false;
  private notBefore = 0;

  /** seek is told at each picture where to go, undefined for nowhere. Of goals that follow fast, the last is gone to. */
  seek(goal: string | undefined): void {
    this.goal = goal;
    if (goal === undefined) this.lost = false;
    else if (!this.tries && performance.now() >= this.notBefore) void this.go(goal);
  }

  private async go(goal: string): Promise<void> {
    this.tries = true;
    const address = goal === "" ? "/" : `/?recording=${goal}`;
    const there = await fetch(address, { method: "HEAD", signal: AbortSignal.timeout(patience) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (there && this.goal === goal) {
      keep(`@${goal}`);
      this.gone = true;
      location.replace(address);
      return;
    }
    this.tries = false;
    if (there) return;
    this.lost = true;
    // Not all of a class at once.
    this.notBefore = performance.now() + again * (1 + Math.random());
  }
}
