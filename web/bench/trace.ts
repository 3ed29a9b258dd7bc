/** Script frame by frame in the page's own thread's time, as Chromium traces it: what else the machine does is not in it. */
import type { CDPSession } from "@playwright/test";

/** A finished stretch of work. ts and dur are µs by the clock, tdur by the thread's. */
interface Event {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

const frame = "FireAnimationFrame";
/** What runs script; one may be inside of another. */
const script = new Set([frame, "EventDispatch", "FunctionCall", "TimerFire", "EvaluateScript", "RunMicrotasks"]);

/** traced gives the milliseconds of script of each animation frame in which during ran, with what came since the one before. */
export async function traced(cdp: CDPSession, during: () => Promise<void>): Promise<readonly number[]> {
  const events: Event[] = [];
  cdp.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as Event[])));
  await cdp.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline"] } });
  await during();
  const complete = new Promise((done) => cdp.once("Tracing.tracingComplete", done));
  await cdp.send("Tracing.end");
  await complete;
  return perFrame(events.filter(({ ph, name }) => ph === "X" && script.has(name)));
}

function perFrame(events: readonly Event[]): number[] {
  const page = busiest(events.filter(({ name }) => name === frame));
  const own = events.filter((event) => threadOf(event) === page).sort((a, b) => a.ts - b.ts);
  const frames: number[] = [];
  let spent = 0;
  let end = 0;
  for (const { name, ts, dur = 0, tdur = NaN } of own) {
    if (ts < end) continue;
    end = ts + dur;
    spent += tdur / 1000;
    if (name !== frame) continue;
    frames.push(spent);
    spent = 0;
  }
  return frames;
}

function threadOf({ pid, tid }: Event): string {
  return `${String(pid)}/${String(tid)}`;
}

/** The thread with the most events: the page's. */
function busiest(events: readonly Event[]): string {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}
