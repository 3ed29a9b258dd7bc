/** Holds what a socket says until there is time to read it: to who listens it is a slower network, and nothing else. */
import type { Socket } from "./types.ts";

/** What has waited so long (ms) is read when more comes: out of sight there are no frames in which to read it. */
const LATE = 500;

export class Inbox {
  private readonly waiting: [at: number, tell: () => void][] = [];
  private readonly now: () => number;
  private readonly onDirty: () => void;

  /** now is in milliseconds; onDirty is called when something waits, and must only mark dirty. */
  constructor(now: () => number, onDirty: () => void) {
    this.now = now;
    this.onDirty = onDirty;
  }

  /** The socket as it is heard through this inbox. Its end is told at once, after all that it has said. */
  through(socket: Socket): Socket {
    const heard: Socket = {
      onmessage: null,
      onclose: null,
      get readyState() {
        return socket.readyState;
      },
      send: (data) => {
        socket.send(data);
      },
      close: (code, reason) => socket.close(code, reason),
    };
    socket.onmessage = (event) => {
      this.waiting.push([this.now(), () => heard.onmessage?.(event)]);
      while (this.waited() > LATE) this.read();
      this.onDirty();
    };
    socket.onclose = (event) => {
      while (this.read());
      heard.onclose?.(event);
    };
    return heard;
  }

  /** For how long (ms) the oldest message has waited, 0 when none does. */
  waited(): number {
    const [[at] = [this.now()]] = this.waiting;
    return this.now() - at;
  }

  /** Reads the oldest message; answers false when there is none. */
  read(): boolean {
    const oldest = this.waiting.shift();
    oldest?.[1]();
    return oldest !== undefined;
  }
}
