import { copied } from "../view/dom.ts";

/** Asks the hub for a frame to paste into another site, and answers in words. */
export async function embedLink(): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/api/v1/embed", { method: "POST", headers, body: "{}" });
  const said = (await answer.json()) as { html?: string; error?: string };
  if (said.html === undefined) return said.error ?? "The hub made no link";
  return (await copied(said.html)) ? "Copied a frame for your site: it shows the map for two hours" : said.html;
}
