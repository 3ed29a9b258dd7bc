import { copied } from "../view/dom.ts";
import { ask } from "./ask.ts";

/** Asks the hub for a frame to paste into another site, and answers in words. */
export async function embedLink(late: (text: string) => void): Promise<string> {
  const { html = "", refused } = await ask("embed", {}, late);
  if (refused !== "") return refused;
  return (await copied(html)) ? "Copied a frame for your site: it shows the map for two hours" : html;
}
