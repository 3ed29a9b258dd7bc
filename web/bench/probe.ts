/**
 * What runs inside the page before its own script: it times every animation frame's and every message's script, and
 * counts what is drawn. It reads; the page does not know of it.
 */

/** One animation frame in which the page's script ran. */
export interface FrameTimes {
  /** When it began, ms since the epoch. */
  readonly at: number;
  /** Milliseconds of script: the frame's own, and of the messages that came since the frame before. */
  readonly script: number;
  readonly tokens: number;
  readonly rows: number;
}

/** One phase's end on its way; all in ms since the epoch. */
export interface Arrival {
  readonly ended: number;
  readonly received: number;
  /** After the rendering of the first frame that had it. */
  readonly painted: number;
}

export interface Probe {
  frames: FrameTimes[];
  arrivals: Arrival[];
  /** Parse messages for phases' ends: only for small loads. */
  follow: boolean;
  lastMessage: number;
  /** Withhold animation frames, as a browser does from a tab that nobody sees. */
  hidden: boolean;
  /** Ends that. */
  show: () => void;
}

declare global {
  interface Window {
    probe: Probe;
  }
}

/** Is sent to the page as source text: it may use nothing from outside of it. */
export function install(): void {
  const withheld: FrameRequestCallback[] = [];
  const show = (): void => {
    probe.hidden = false;
    for (const run of withheld.splice(0)) window.requestAnimationFrame(run);
  };
  const probe: Probe = { frames: [], arrivals: [], follow: false, lastMessage: 0, hidden: false, show };
  window.probe = probe;
  const wall = (): number => performance.timeOrigin + performance.now();
  let script = 0;
  let tokens = 0;
  let rows = 0;
  let waiting: { ended: number; received: number }[] = [];
  const seen = new Set<string>();

  const follow = (text: string, received: number): void => {
    const frame = JSON.parse(text) as { type: string; rows?: Record<string, unknown>[] };
    for (const row of frame.type === "rows" ? (frame.rows ?? []) : []) {
      const phases = row["row"] === "reconcile" ? (row["phases"] as { name: string; from: number; to: number }[]) : [];
      for (const phase of phases) {
        const id = `${String(row["key"])} ${phase.name}`;
        if (phase.to === 0 || seen.has(id)) continue;
        seen.add(id);
        waiting.push({ ended: phase.to / 1000, received });
      }
    }
  };

  const own = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(this: WebSocket, handler: ((event: MessageEvent) => void) | null) {
      own?.set?.call(this, (event: MessageEvent<string>) => {
        const received = wall();
        handler?.(event);
        script += wall() - received;
        probe.lastMessage = received;
        for (let i = event.data.indexOf('{"row":'); i >= 0; i = event.data.indexOf('{"row":', i + 7)) rows++;
        if (probe.follow) follow(event.data, received);
      });
    },
  });

  // Each token is one filled shape.
  const fill = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "fill")?.value as () => void;
  CanvasRenderingContext2D.prototype.fill = function (this: CanvasRenderingContext2D): void {
    tokens++;
    fill.call(this);
  };

  const painted = new MessageChannel();
  let drawn: { ended: number; received: number }[] = [];
  painted.port1.onmessage = () => {
    const now = wall();
    for (const one of drawn) probe.arrivals.push({ ...one, painted: now });
    drawn = [];
  };
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => {
    if (probe.hidden) return withheld.push(run);
    return request((now) => {
      const at = wall();
      tokens = 0;
      run(now);
      script += wall() - at;
      probe.frames.push({ at, script, tokens, rows });
      script = 0;
      rows = 0;
      if (waiting.length === 0) return;
      drawn.push(...waiting);
      waiting = [];
      painted.port2.postMessage(0);
    });
  };
}
