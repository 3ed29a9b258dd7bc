import { MS, SECOND } from "../base/time.ts";

/** How long a token is on its way from one node to the next, at least. */
export const TRAVEL = 250 * MS;

/** How long a token stays at a node, at least. */
export const STAY = 120 * MS;

/** How far the display may lag: a pass sets out at most this long after it did in truth. */
export const LAG = 2 * SECOND;

/** Tokens of one pass that set out at the same moment follow each other at this distance. */
export const STAGGER = 90 * MS;

/** More causes or writes of one pass than this are drawn as ×n of their like. */
export const SINGLES = 6;

/** How long a write whose event nobody waits for is still seen at the API server. */
export const LINGER = 400 * MS;

/** Events of one kind of dependent that come within this time are drawn as one ×n. */
export const AT_ONCE = 100 * MS;

/** An event that must hurry takes at least this long. */
export const HURRIED = 300 * MS;

/** What yields to its item's next pass goes this many times as fast at most; more than that, and the two are one. */
export const BRISK = 4;

/** An error or a back-off is shown alone for this long at least, as long as none lags more than PATIENCE for that. */
export const SHOWN = SECOND;
export const PATIENCE = 3 * LAG;
