/** The script of what one takes along: saves what is seen of the map as a picture, SVG, or PNG at twice its size; and writes a reconcile as text. */
import { clock } from "./base/time.ts";
import { copyOf, tokensOf } from "./picture/vector.ts";
import type { App } from "./view/app.ts";
import { fill, s } from "./view/dom.ts";
import type { LaneElement } from "./view/lane.ts";

export { issueText } from "./view/issue.ts";

/** How wide a lane is in the picture, in CSS pixels, and the head above it. */
const width = 1200;
const head = 48;

/** pictureOf draws lanes below each other, as they are now. It refers to nothing outside of itself. */
async function pictureOf(app: App, lanes: readonly LaneElement[]): Promise<SVGSVGElement> {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  const root = s("svg", { xmlns: "http://www.w3.org/2000/svg", width });
  root.append(s("style", {}, await letters()), s("rect", { width: "100%", height: "100%", fill: of("--paper") }));
  const time = `${clock(app.playhead.now(), app.zone())} · ${app.playhead.paused ? "paused" : "live"}`;
  let y = 0;
  for (const lane of lanes) {
    const { map, tokens } = lane.drawing();
    const { width: w, height: h } = map.viewBox.baseVal;
    const tall = Math.round((width * h) / w);
    const copy = copyOf(map);
    fill(copy, { x: 0, y: y + head, width, height: tall });
    if (tokens !== undefined) copy.append(tokensOf(tokens));
    const text = { y: y + 32, fill: of("--ink"), "font-family": of("--sans") };
    root.append(
      s("text", { x: 20, "font-size": 24, "font-weight": 750, ...text }, lane.lane),
      s("text", { x: width - 20, "font-size": 18, "text-anchor": "end", ...text }, time),
      copy,
    );
    y += head + tall;
  }
  return fill(root, { height: y, viewBox: `0 0 ${String(width)} ${String(y)}` });
}

/** savePicture saves lanes under a name that says of what and when. */
export async function savePicture(app: App, lanes: readonly LaneElement[], kind: "svg" | "png"): Promise<string> {
  const svg = await pictureOf(app, lanes);
  const text = new XMLSerializer().serializeToString(svg);
  const blob = kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await raster(text);
  const at = new Date(app.playhead.now() / 1000).toISOString().slice(0, 19).replaceAll(":", "-");
  const who = lanes.length === 1 ? (lanes[0]?.lane ?? "") : `${String(lanes.length)}-controllers`;
  const name = `tracer-${who}-${at}Z.${kind}`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
  return name;
}

/** The letters go with the picture: where it is looked at they may not be there. Without them it has the system's. */
async function letters(): Promise<string> {
  const answer = await fetch("/static/fonts/atkinson-next.woff2").catch(() => undefined);
  if (answer?.ok !== true) return "";
  const url = await dataURL(await answer.blob());
  return `@font-face{font-family:"Atkinson Next";font-weight:200 800;src:url(${url})}`;
}

function dataURL(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => {
      done(String(reader.result));
    };
    reader.onerror = fail;
    reader.readAsDataURL(blob);
  });
}

async function raster(text: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob === null) fail(new Error("the browser makes no picture of that size"));
      else done(blob);
    });
  });
}
