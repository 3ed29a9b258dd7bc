/** From the end of a phase in a controller with the library, through the hub, to the frame that shows it. */
import type { Browser } from "@playwright/test";

import { Hub } from "./hub.ts";
import { type Line, ms, share, wait } from "./stats.ts";
import { Tab } from "./tab.ts";

export async function latency(browser: Browser): Promise<Line[]> {
  const hub = await Hub.start();
  const tab = await Tab.open(browser, hub.login);
  try {
    const sending = hub.load({ rate: 10, items: 20, lasting: 24, library: true });
    await wait(3_000);
    const arrivals = await tab.arrivals(20_000);
    await sending;
    if (arrivals.length < 300) throw new Error(`only ${String(arrivals.length)} phases came: is the machine too busy?`);
    const whole = arrivals.map(({ ended, painted }) => painted - ended);
    const last = arrivals.map(({ received, painted }) => painted - received);
    const [p50, p99] = [share(whole, 0.5), share(whole, 0.99)];
    return [
      {
        what: `end of a phase → painted frame, p50 (${String(arrivals.length)} phases)`,
        figure: ms(p50),
        goal: "60 ms",
        met: p50 <= 60,
      },
      { what: "end of a phase → painted frame, p99", figure: ms(p99), goal: "150 ms", met: p99 <= 150 },
      {
        what: "of that, frame received → painted, p50, p99",
        figure: `${ms(share(last, 0.5))}, ${ms(share(last, 0.99))}`,
      },
    ];
  } finally {
    await tab.close();
    await hub.stop();
  }
}
