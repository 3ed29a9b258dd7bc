/** Asks the hub: the one way in which this script calls its API. */

/** One lesson of the list. */
export interface Info {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  readonly beats: number;
  /** What of the controller it needs beside a cluster: "control". */
  readonly needs?: readonly string[];
}

/** One recorded session of the list. */
export interface RecordingInfo {
  readonly name: string;
  readonly title: string;
}

/** What the hub answers; error says why it did not do it. */
export interface Answer {
  readonly error?: string;
  readonly lessons?: readonly Info[];
  readonly recordings?: readonly RecordingInfo[];
  /** The choice of this browser. */
  readonly mine?: number;
  /** What a command or an action has done, in words. */
  readonly text?: string;
  /** What the hub knows of a command for which there is nothing now, to be put after the text. */
  readonly note?: string;
  readonly summary?: string;
  /** A frame to paste into another site. */
  readonly html?: string;
}

/** How long an answer may take before it is said that none has come, ms. */
const patience = 5_000;

/**
 * ask gets, or with a body posts. refused is "" where the hub did it. late is told where the hub does not answer; the
 * answer is waited for all the same.
 */
export async function ask(
  path: string,
  body?: object,
  late?: (text: string) => void,
  method = "POST",
): Promise<Answer & { readonly refused: string }> {
  const headers = { "Content-Type": "application/json" };
  const timer = setTimeout(() => {
    late?.("The hub has not answered for 5 s. It may be busy, or cut off.");
  }, patience);
  try {
    const response = await fetch(
      `/api/v1/${path}`,
      body === undefined ? {} : { method, headers, body: JSON.stringify(body) },
    );
    const json = (await response.json().catch(() => ({}))) as Answer;
    return { ...json, refused: response.ok ? "" : (json.error ?? `The hub answered ${String(response.status)}.`) };
  } catch {
    return { refused: "The hub cannot be reached. Wait until the page is connected again." };
  } finally {
    clearTimeout(timer);
  }
}
