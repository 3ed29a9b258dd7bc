/** The script of the panel's views that are not shown at first, of what one can copy out of the panel, of the voice, and of what the search offers. */
import { complete } from "./model/complete.ts";
import { chainView } from "./panels/chainview.ts";
import { ChartsView } from "./panels/chartsview.ts";
import { details, nextText } from "./panels/details.ts";
import { findingText, findingsView } from "./panels/findingsview.ts";
import { issueText } from "./panels/issue.ts";
import { itemView } from "./panels/itemview.ts";
import { queueView } from "./panels/queueview.ts";
import { startView } from "./panels/startview.ts";
import { Voice } from "./panels/voice.ts";
import { walkKey } from "./panels/walk.ts";
import type { Panels } from "./view/later.ts";

export const panels: Panels = {
  views: {
    queue: queueView,
    charts: new ChartsView(),
    start: startView,
    findings: findingsView,
    item: itemView,
    chain: chainView,
  },
  findingText,
  issueText,
  details,
  nextText,
  walkKey,
  complete,
  voice: (app, element, stationOf) => new Voice(app, element, stationOf),
};
